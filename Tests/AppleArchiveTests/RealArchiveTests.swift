// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit
import System
import TestSupport
import Testing

/// Archives that others wrote; their origins are in `Fixtures/README.md`.
@Suite struct RealArchiveTests {
    @Test func appleArchiveExtractsToWhatItsAuthorsList() throws {
        try Scratch.with { scratch in
            let target = scratch("out")
            let file = try OwnedDescriptor(fixturePath("app-with-xattr.lzfse.aar"), .readOnly)
            let summary = try ArchiveExtraction.extract(file.borrowed, to: target)
            #expect(summary.files == 152)
            #expect(summary.links == 6)
            #expect(summary.folders == 69)
            #expect(summary.skipped == 0)

            var expected: [String: String] = [:]
            for line in String(decoding: try fixture("app-with-xattr.sha256"), as: UTF8.self).split(separator: "\n") {
                expected[String(line.dropFirst(66))] = String(line.prefix(64))
            }
            for line in String(decoding: try fixture("app-with-xattr.links"), as: UTF8.self).split(separator: "\n") {
                let arrow = try #require(line.firstRange(of: " -> "))
                expected[String(line[..<arrow.lowerBound])] = "-> " + line[arrow.upperBound...]
            }
            var found: [String: String] = [:]
            for path in try scratch.tree("out") {
                let file = target.appending(path)
                let kind = try FileDescriptor.currentDirectory.status(at: file).kind
                found[path] =
                    kind == .symbolicLink
                    ? "-> " + (try FileDescriptor.currentDirectory.readLink(at: file))
                    : SHA256.hash(try File.read(file)).hex
            }
            #expect(found == expected)
        }
    }

    @Test func appleArchiveKeepsModesAndTimes() throws {
        try Scratch.with { scratch in
            let file = try OwnedDescriptor(fixturePath("app-with-xattr.lzfse.aar"), .readOnly)
            _ = try ArchiveExtraction.extract(file.borrowed, to: scratch("out"))
            let recording = try decode(try fixture("app-with-xattr.lzfse.aar"))
            for entry in recording.entries {
                let status = try FileDescriptor.currentDirectory.status(at: scratch("out").appending(entry.path))
                if entry.type != .symbolicLink {
                    #expect(UInt16(status.permissions.rawValue) == entry.mode, "\(entry.path)")
                }
                #expect(status.modificationTime == entry.modificationTime, "\(entry.path)")
            }
        }
    }

    /// Written again, every header has the very bytes Apple's tool wrote.
    @Test func writesHeadersAsAppleDoes() throws {
        let original = try decode(try fixture("app-with-xattr.lzfse.aar"))
        var stream: [UInt8] = []
        let writer = try ArchiveWriter(output: { stream += $0 }, compression: .none)
        for entry in original.entries {
            let attributes = entry.blobs.first { $0.key == .extendedAttributes }?.size ?? 0
            let data = entry.hasData ? BytesDataSource(original.content(entry.path) ?? []) : nil
            try writer.append(entry, data: data, extendedAttributes: Array(repeating: 0, count: Int(attributes)))
        }
        try writer.finish()
        // The size of the one block in Apple's file.
        #expect(stream.count == 2_506_564)
        #expect(try decode(stream).entries == original.entries)
        #expect(stream.starts(with: Array("AA01_\0TYP1DPATP\u{1a}\0Sparkle".utf8)))
    }

    @Test func anEncryptedArchiveIsRefusedByName() throws {
        try Scratch.with { scratch in
            let file = try OwnedDescriptor(fixturePath("encrypted.aar"), .readOnly)
            let error = try #require(throws: ArchiveError.self) {
                _ = try ArchiveExtraction.extract(file.borrowed, to: scratch("out"))
            }
            #expect(error.code == .encrypted)
            #expect(error.message.contains("AEA1"))
            #expect(try FileDescriptor.currentDirectory.entries(at: scratch.path).isEmpty)
        }
    }

    @Test(arguments: ["neo_lzfse.aar", "neo_zlib.aar", "neo_raw.aar"])
    func archivesOfAnotherImplementationAreRead(_ name: String) throws {
        let recording = try decode(try fixture(name))
        #expect(recording.entries.map(\.path) == ["sub", "sub/z.bin", "a.txt"])
        #expect(recording.entries.allSatisfy { $0.mode == nil && $0.modificationTime == nil })
        #expect(recording.content("sub/z.bin") == Array(repeating: 0, count: 70_000))
    }
}
