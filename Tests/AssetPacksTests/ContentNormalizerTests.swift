// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import AssetPacks

struct ContentNormalizerTests {
    // MARK: - PNG

    private static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        big(UInt32(data.count)) + Array(type.utf8) + data + big(crc(Array(type.utf8) + data))
    }

    private static func png(_ chunks: [UInt8]...) -> [UInt8] {
        PNGStamps.signature + chunk("IHDR", [UInt8](repeating: 1, count: 13)) + chunks.joined()
            + chunk("IDAT", Array(0..<200)) + chunk("IEND", [])
    }

    private static func text(_ type: String, _ keyword: String, _ value: String) -> [UInt8] {
        chunk(type, Array(keyword.utf8) + [0] + Array(value.utf8))
    }

    @Test func timesOfAnImageGoAndAllElseStays() {
        let kept = Self.text("tEXt", "Author", "me")
        let stamped = Self.png(
            Self.chunk("tIME", [7, 0xEA, 1, 2, 3, 4, 5]), Self.text("tEXt", "date:create", "2026-01-01T00:00:00+00:00"),
            kept, Self.text("iTXt", "Creation Time", "\0\0\0\0now"), Self.text("zTXt", "date:timestamp", "\0x"))
        #expect(ContentNormalizer.normalized(stamped) == Self.png(kept))
        #expect(ContentNormalizer.normalized(Self.png(kept)) == nil)
    }

    @Test func imagesThatAreNotWholeStayAsTheyAre() {
        let stamped = Self.png(Self.chunk("tIME", [7, 0xEA, 1, 2, 3, 4, 5]))
        #expect(ContentNormalizer.normalized(stamped) != nil)
        for count in 0..<stamped.count { #expect(ContentNormalizer.normalized(Array(stamped[..<count])) == nil) }
        #expect(ContentNormalizer.normalized(stamped + [0]) == nil)
        #expect(
            ContentNormalizer.normalized(
                PNGStamps.signature + Self.chunk("tIME", []) + Self.chunk("IHDR", []) + Self.chunk("IEND", [])) == nil)
    }

    @Test func signedImagesStayAsTheyAre() {
        let (time, signature) = (Self.chunk("tIME", [7, 0xEA, 1, 2, 3, 4, 5]), Self.chunk("dSIG", [1, 2, 3]))
        #expect(ContentNormalizer.normalized(Self.png(time)) != nil)
        #expect(ContentNormalizer.normalized(Self.png(signature, time)) == nil)
        #expect(ContentNormalizer.normalized(Self.png(time, signature)) == nil)
    }

    // MARK: - zip

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// A zip file with stored members, as `zip` writes it, with times of three kinds.
    private static func zip(
        time: Int, flags: Int = 0, before directoryPrefix: [UInt8] = [], comment: String = "",
        names: [String] = ["a", "b/c"]
    ) -> [UInt8] {
        let unix = little(0x5455, 2) + little(5, 2) + [1] + little(time, 4)
        let windows =
            little(0x000A, 2) + little(32, 2) + little(0, 4) + little(1, 2) + little(24, 2) + little(time, 8)
            + little(time + 1, 8) + little(time + 2, 8)
        let old = little(0x5855, 2) + little(12, 2) + little(time + 3, 4) + little(time, 4) + [1, 2, 3, 4]
        let other = little(0x7875, 2) + little(3, 2) + [1, 2, 3]
        let extra = unix + other + old + windows
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for name in names {
            let data = Array("content of \(name)".utf8)
            let common =
                little(flags, 2) + little(0, 2) + little(time, 4) + little(Int(crc(data)), 4) + little(data.count, 4)
                + little(data.count, 4) + little(name.utf8.count, 2) + little(extra.count, 2)
            directory +=
                [0x50, 0x4B, 1, 2] + little(20, 2) + little(10, 2) + common + little(0, 2) + little(0, 2) + little(0, 2)
                + little(0, 4) + little(file.count, 4) + Array(name.utf8) + extra
            file += [0x50, 0x4B, 3, 4] + little(10, 2) + common + Array(name.utf8) + extra + data
        }
        file += directoryPrefix
        let end =
            [0x50, 0x4B, 5, 6] + little(0, 4) + little(names.count, 2) + little(names.count, 2)
            + little(directory.count, 4) + little(file.count, 4) + little(comment.utf8.count, 2) + Array(comment.utf8)
        return file + directory + end
    }

    @Test func zipFilesOfTwoDaysAreTheSame() throws {
        let one = try #require(ContentNormalizer.normalized(Self.zip(time: 0x5A21_6B3C, comment: "a comment")))
        let two = try #require(ContentNormalizer.normalized(Self.zip(time: 0x5A55_0001, comment: "a comment")))
        #expect(one == two)
        #expect(one.count == Self.zip(time: 0, comment: "a comment").count)
        #expect(ContentNormalizer.normalized(one) == nil)
        #expect(ContentNormalizer.normalized(Self.zip(time: 1, names: ["other"])) != one)
    }

    @Test func pythonStillReadsThem() async throws {
        try await Scratch.with { scratch in
            let normal = try #require(ContentNormalizer.normalized(Self.zip(time: 0x5A21_6B3C)))
            try scratch.write(normal, to: "n.zip")
            let program =
                "import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; "
                + "print([(i.filename,i.date_time,z.read(i)) for i in z.infolist()])"
            let result = try await offload {
                try ChildProcess.run(
                    executable: "/usr/bin/python3", arguments: ["-c", program, scratch("n.zip").string],
                    environment: [:], atMost: .seconds(60))
            }
            #expect(
                result.outputText
                    == "[('a', (1980, 1, 1, 0, 0, 0), b'content of a'), ('b/c', (1980, 1, 1, 0, 0, 0), b'content of b/c')]\n"
            )
        }
    }

    @Test func encryptedSignedAndBrokenZipFilesStayAsTheyAre() {
        #expect(ContentNormalizer.normalized(Self.zip(time: 5)) != nil)
        #expect(ContentNormalizer.normalized(Self.zip(time: 5, flags: 1)) == nil)
        #expect(ContentNormalizer.normalized(Self.zip(time: 5, before: Array("APK Sig Block 42".utf8))) == nil)
        #expect(ContentNormalizer.normalized(Self.zip(time: 5) + [0]) == nil)
        let whole = Self.zip(time: 5)
        for count in 0..<whole.count { #expect(ContentNormalizer.normalized(Array(whole[..<count])) == nil) }
    }

    /// Whatever stands there, nothing traps, and what is changed once is not changed again.
    @Test func damageNeverTraps() {
        var generator = SeededGenerator.forTest()
        let corpus = [
            Self.zip(time: 0x5A21_6B3C), Self.png(Self.chunk("tIME", [7, 0xEA, 1, 2, 3, 4, 5])),
            [0x1F, 0x8B, 8, 0, 1, 2, 3, 4, 0, 3] + generator.bytes(20),
        ]
        for round in 0..<6000 {
            var bytes = corpus[round % corpus.count]
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 4..<bytes.count, using: &generator)
                bytes[place] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
                    .randomElement(using: &generator) ?? 0
            }
            if let normal = ContentNormalizer.normalized(bytes) {
                #expect(ContentNormalizer.normalized(normal) == nil)
            }
        }
    }

    @Test func gzipFilesLoseTheirTime() {
        let file: [UInt8] = [0x1F, 0x8B, 8, 0, 1, 2, 3, 4, 0, 3] + [UInt8](repeating: 9, count: 10)
        #expect(
            ContentNormalizer.normalized(file) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
                + [UInt8](repeating: 9, count: 10))
        // With a checksum of its head, or a flag that nobody knows.
        #expect(ContentNormalizer.normalized([0x1F, 0x8B, 8, 2] + file.dropFirst(4)) == nil)
        #expect(ContentNormalizer.normalized([0x1F, 0x8B, 8, 0x80] + file.dropFirst(4)) == nil)
        #expect(ContentNormalizer.normalized(Array("plain text".utf8)) == nil)
        #expect(ContentNormalizer.normalized([]) == nil)
    }

    // MARK: - Packs

    @Test func packsOfTwoDaysAreTheSameWhenAsked() throws {
        func pack(_ time: Int, _ normalizes: Bool) throws -> [UInt8] {
            try Scratch.with { scratch in
                let fixture = try PackFixture(scratch: scratch).writeTree()
                try scratch.write(Self.zip(time: time), to: "src/Levels/a.jar")
                try scratch.write(Self.png(Self.chunk("tIME", Self.little(time, 7))), to: "src/Levels/b.png")
                return try fixture.package { $0.normalizesContent = normalizes }
            }
        }
        #expect(try pack(5, true) == pack(77, true))
        #expect(try pack(5, false) != pack(77, false))
    }
}
