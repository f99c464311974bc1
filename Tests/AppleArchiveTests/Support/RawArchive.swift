// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Builds archive bytes field by field, right or wrong, without the code under test.
struct RawEntry {
    var magic = "AA01"
    var fields: [UInt8] = []
    var blobs: [UInt8] = []

    init(_ type: Character, _ path: String, magic: String = "AA01") {
        self.magic = magic
        unsigned("TYP", UInt64(type.asciiValue ?? 0), 1)
        string("PAT", Array(path.utf8))
    }

    init(magic: String = "AA01") { self.magic = magic }

    mutating func unsigned(_ key: String, _ number: UInt64, _ width: Int) {
        fields += Array(key.utf8) + Array("\(width)".utf8) + little(number, width)
    }

    mutating func string(_ key: String, _ bytes: [UInt8]) {
        fields += Array(key.utf8) + [UInt8(ascii: "P")] + little(UInt64(bytes.count), 2) + bytes
    }

    mutating func raw(_ key: String, _ kind: Character, _ bytes: [UInt8] = []) {
        fields += Array(key.utf8) + [kind.asciiValue ?? 0] + bytes
    }

    /// A blob field with its bytes behind the header.
    mutating func blob(_ key: String, _ kind: Character, _ bytes: [UInt8]) {
        raw(key, kind, little(UInt64(bytes.count), ["A": 2, "B": 4, "C": 8][kind] ?? 2))
        blobs += bytes
    }

    var header: [UInt8] { Array(magic.utf8) + little(UInt64(fields.count + 6), 2) + fields }
    var bytes: [UInt8] { header + blobs }

    static func file(_ path: String, _ content: [UInt8]) -> [UInt8] {
        var entry = RawEntry("F", path)
        entry.blob("DAT", content.count < 65536 ? "A" : "B", content)
        return entry.bytes
    }

    static func folder(_ path: String) -> [UInt8] { RawEntry("D", path).bytes }

    static func link(_ path: String, to target: String) -> [UInt8] {
        var entry = RawEntry("L", path)
        entry.string("LNK", Array(target.utf8))
        return entry.bytes
    }
}

func little(_ number: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
}

func big(_ number: UInt64, _ width: Int = 8) -> [UInt8] { little(number, width).reversed() }

/// A `pbz?` wrapper around payloads that are given as they are to be stored.
func wrapper(_ letter: Character, blockSize: UInt64 = 4 << 20, _ blocks: [(raw: Int, payload: [UInt8])]) -> [UInt8] {
    var result = Array("pbz".utf8) + [letter.asciiValue ?? 0] + big(blockSize)
    for block in blocks { result += big(UInt64(block.raw)) + big(UInt64(block.payload.count)) + block.payload }
    return result
}
