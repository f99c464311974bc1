// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit

/// Takes numbers and bytes off the front of an index's body; whatever is not there or too large is an error.
struct IndexReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var remaining: Int { rest.count }

    mutating func byte() throws -> UInt8 {
        guard let byte = rest.popFirst() else { throw PackIndex.damaged("it ends too early") }
        return byte
    }

    mutating func bytes(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw PackIndex.damaged("it ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number of `count` bytes, at most 8, little endian.
    mutating func fixed(_ count: Int) throws -> UInt64 {
        try bytes(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of seven bits a byte, in as few bytes as it needs.
    mutating func number(upTo limit: Int64) throws -> Int64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else { continue }
            guard byte != 0 || shift == 0, number <= UInt64(clamping: limit) else { break }
            return Int64(number)
        }
        throw PackIndex.damaged("it holds a number that is out of bounds")
    }

    /// A number folded: 2n, or -2n - 1 below 0.
    mutating func signedNumber(upTo limit: Int64) throws -> Int64 {
        let number = try number(upTo: 2 * limit)
        return number & 1 == 0 ? number >> 1 : -(number >> 1) - 1
    }

    mutating func size() throws -> Int64 { try number(upTo: PackIndex.Limits.size) }

    /// How many things follow, each of at least `size` bytes.
    mutating func count(upTo limit: Int, ofAtLeast size: Int) throws -> Int {
        try Int(number(upTo: Int64(min(limit, remaining / size))))
    }

    mutating func digest() throws -> Digest {
        guard let digest = Digest(bytes: Array(try bytes(Digest.byteCount))) else {
            throw PackIndex.damaged("it ends too early")
        }
        return digest
    }

    /// Paths of which each begins like the one before.
    /// - Throws: `PackUpdateError.damagedIndex`, `.notIndexable`
    mutating func paths(_ count: Int, _ memory: inout IndexMemory) throws -> [String] {
        var path: [UInt8] = []
        return try (0..<count).map { _ in
            let shared = Int(try number(upTo: Int64(path.count)))
            path.removeLast(path.count - shared)
            path += try bytes(Int(try number(upTo: Int64(ArchivePath.lengthLimit))))
            guard path.count < ArchivePath.lengthLimit, let text = String(validating: path, as: UTF8.self) else {
                throw PackIndex.damaged("a path is too long, or no text")
            }
            try memory.add(path.count, .nameByte)
            return text
        }
    }

    /// The target of a link.
    /// - Throws: as `paths`
    mutating func target(_ memory: inout IndexMemory) throws -> String {
        let target = try bytes(Int(try number(upTo: Int64(PackIndex.Limits.linkTarget))))
        try memory.add(target.count, .nameByte)
        guard let text = String(validating: target, as: UTF8.self) else {
            throw PackIndex.damaged("a link's target is no text")
        }
        return text
    }
}
