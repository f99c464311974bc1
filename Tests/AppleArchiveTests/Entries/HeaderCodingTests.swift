// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import Testing

/// Entry headers, byte by byte (AA 1.1-1.6).
@Suite struct HeaderCodingTests {
    /// The first header of an archive that Apple's `aa` wrote.
    @Test func encodesAsAppleDoes() throws {
        var entry = EntryHeader(type: .directory, path: "SparkleTestCodeSignApp.app")
        entry.userID = 501
        entry.groupID = 20
        entry.mode = 0o755
        entry.flags = 0
        entry.creationTime = Timestamp(seconds: 0x552c_147b)
        entry.modificationTime = entry.creationTime
        entry.blobs = [.init(key: .extendedAttributes, size: 91)]
        let golden: [UInt8] =
            Array("AA01_\0TYP1DPATP\u{1a}\0SparkleTestCodeSignApp.app".utf8) + Array("UID2".utf8) + [0xf5, 0x01]
            + Array("GID1\u{14}MOD2".utf8) + [0xed, 0x01]
            + Array("FLG1\0CTMS{\u{14},U\0\0\0\0MTMS{\u{14},U\0\0\0\0XATA[\0".utf8)
        #expect(try entry.encoded() == golden)
    }

    @Test func leavesOutFieldsThatAreNotAskedFor() throws {
        var entry = EntryHeader(type: .symbolicLink, path: "a")
        entry.linkTarget = "b"
        entry.userID = 1
        entry.mode = 0o777
        entry.modificationTime = Timestamp(seconds: 1)
        #expect(try entry.encoded(fields: []) == Array("AA01\u{19}\0TYP1LPATP\u{1}\0aLNKP\u{1}\0b".utf8))
        #expect(try entry.encoded(fields: .normalized).count == 31)
    }

    struct Width: Sendable, CustomTestStringConvertible {
        var size: UInt64
        var kind: Character
        var testDescription: String { "\(size)" }
    }

    @Test(arguments: [
        Width(size: 0, kind: "A"), Width(size: 65535, kind: "A"), Width(size: 65536, kind: "B"),
        Width(size: 0xffff_ffff, kind: "B"), Width(size: 0x1_0000_0000, kind: "C"),
    ])
    func writesTheSmallestBlobWidth(_ width: Width) throws {
        var entry = EntryHeader(type: .regularFile, path: "f")
        entry.blobs = [.init(key: .data, size: width.size)]
        let text = String(decoding: try entry.encoded(), as: UTF8.self)
        #expect(text.contains("DAT\(width.kind)"))
    }

    @Test func timesWithAFractionAreLonger() throws {
        var entry = EntryHeader(type: .regularFile, path: "f")
        entry.modificationTime = Timestamp(seconds: -1, nanoseconds: 5)
        let bytes = try entry.encoded()
        #expect(bytes.suffix(16) == Array("MTMT".utf8)[...] + Array(repeating: 0xff, count: 8) + [5, 0, 0, 0])
    }

    @Test func readsEveryWidthOfEveryField() throws {
        for width in [1, 2, 4, 8] {
            var raw = RawEntry()
            raw.unsigned("MOD", 0o644 & (width == 1 ? 0xff : 0xffff), width)
            raw.unsigned("HLC", 7, width)
            raw.unsigned("SIZ", 3, width)
            raw.unsigned("TYP", UInt64(UInt8(ascii: "F")), width)
            raw.string("PAT", Array("f".utf8))
            raw.blob("DAT", width == 8 ? "C" : width == 4 ? "B" : "A", [1, 2, 3])
            let recording = try decode(raw.bytes)
            let entry = try #require(recording.entries.first)
            #expect(entry.type == .regularFile)
            #expect(entry.hardLinkCluster == 7)
            #expect(entry.unsigned(.size) == 3)
            #expect(recording.content("f") == [1, 2, 3])
        }
    }

    @Test func skipsWhatItDoesNotKnow() throws {
        var raw = RawEntry("F", "f")
        raw.raw("ZZZ", "*")
        raw.string("LBL", Array("label".utf8))
        for (kind, size) in [("F", 4), ("G", 20), ("H", 32), ("I", 48), ("J", 64)] as [(Character, Int)] {
            raw.raw("SH2", kind, Array(repeating: 9, count: size))
        }
        raw.raw("BTM", "T", Array(repeating: 0, count: 12))
        raw.blob("ACL", "B", [7, 7])
        raw.blob("DAT", "A", [1, 2, 3])
        raw.blob("XAT", "A", Array(repeating: 8, count: 30))
        raw.blob("YEC", "C", Array(repeating: 8, count: 300))
        let recording = try decode(raw.bytes + RawEntry.file("g", [4]))
        #expect(recording.content("f") == [1, 2, 3])
        #expect(recording.content("g") == [4])
        let entry = try #require(recording.entries.first)
        #expect(entry.blobs.map(\.key) == [.accessControlList, .data, .extendedAttributes, FieldKey("YEC")])
        #expect(entry.otherFields.count == 8)
    }

    @Test func takesTheFirstOfAKeyThatComesTwice() throws {
        var raw = RawEntry("F", "f")
        raw.string("PAT", Array("g".utf8))
        raw.blob("DAT", "A", [1])
        raw.blob("DAT", "A", [2, 2])
        let recording = try decode(raw.bytes)
        #expect(recording.entries.map(\.path) == ["f"])
        #expect(recording.content("f") == [1])
    }

    @Test func readsTheLegacyMagicAndMetadata() throws {
        var metadata = RawEntry(magic: "YAA1")
        metadata.unsigned("TYP", UInt64(UInt8(ascii: "M")), 1)
        metadata.blob("YAF", "A", Array("TYP,PAT".utf8))
        let recording = try decode(metadata.bytes + RawEntry("D", "d", magic: "YAA1").bytes)
        #expect(recording.entries.map(\.type) == [.metadata, .directory])
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var code = ArchiveError.Code.corrupt
    }

    static var badHeaders: [Bad] {
        func bytes(_ body: (inout RawEntry) -> Void) -> [UInt8] {
            var entry = RawEntry("F", "f")
            body(&entry)
            return entry.bytes
        }
        var noType = RawEntry()
        noType.string("PAT", [0x66])
        var noPath = RawEntry()
        noPath.unsigned("TYP", 0x46, 1)
        return [
            Bad(testDescription: "size below 6", bytes: Array("AA01\u{5}\0".utf8)),
            Bad(testDescription: "no type", bytes: noType.bytes),
            Bad(testDescription: "no path", bytes: noPath.bytes),
            Bad(testDescription: "empty header", bytes: RawEntry().bytes),
            Bad(testDescription: "unknown field type", bytes: bytes { $0.raw("ABC", "9", [0]) }),
            Bad(testDescription: "field cut after its key", bytes: bytes { $0.fields += Array("AB".utf8) }),
            Bad(testDescription: "number cut", bytes: bytes { $0.raw("ABC", "8", [0]) }),
            Bad(testDescription: "string past the header", bytes: bytes { $0.raw("ABC", "P", [0xff, 0xff, 1]) }),
            Bad(testDescription: "digest cut", bytes: bytes { $0.raw("SH2", "H", [1]) }),
            Bad(
                testDescription: "nanoseconds over a second",
                bytes: bytes { $0.raw("MTM", "T", little(0, 8) + little(1_000_000_000, 4)) }),
            Bad(
                testDescription: "type over a byte",
                bytes: bytes {
                    $0.fields = []; $0.unsigned("TYP", 0x146, 2)
                }),
            Bad(testDescription: "wrong magic behind an entry", bytes: RawEntry.folder("d") + Array("AA02__".utf8)),
            Bad(testDescription: "link without a target", bytes: RawEntry("L", "l").bytes),
            Bad(
                testDescription: "patch operations", bytes: bytes { $0.unsigned("YOP", UInt64(UInt8(ascii: "P")), 1) },
                code: .unsupportedEntry),
        ]
    }

    @Test(arguments: badHeaders) func refusesBadHeaders(_ bad: Bad) throws {
        let error = try #require(throws: ArchiveError.self) { try decode(bad.bytes) }
        #expect(error.code == bad.code, "\(error)")
    }

    @Test func refusesToWriteAHeaderThatDoesNotFit() throws {
        var entry = EntryHeader(type: .regularFile, path: "f")
        entry.otherFields = [
            HeaderField(FieldKey("AAA"), .string(Array(repeating: 0, count: 40000))),
            HeaderField(FieldKey("BBB"), .string(Array(repeating: 0, count: 40000))),
        ]
        #expect(throws: ArchiveError.self) { try entry.encoded() }
        entry.otherFields = [HeaderField(FieldKey("AAA"), .blob(1))]
        #expect(throws: ArchiveError.self) { try entry.encoded() }
    }
}
