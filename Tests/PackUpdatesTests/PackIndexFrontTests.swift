// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import Testing

@testable import PackUpdates

/// What an index begins with, and is fetched alone.
@Suite struct PackIndexFrontTests {
    private static func file(
        magic: String = "LRDRINDX", version: UInt32 = 2, says size: UInt32? = nil, front: [UInt8], rest: Int = 0
    ) -> [UInt8] {
        var file = Array(magic.utf8)
        file.append(littleEndian: version)
        file.append(littleEndian: size ?? UInt32(front.count))
        file.append(littleEndian: UInt32(front.count * 3))
        return file + front + Array(repeating: 7, count: rest)
    }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }

    @Test(arguments: [1, 500, 100_000]) func itIsTheHeadAndItsBody(size: Int) {
        let alone = Self.file(front: Self.bytes(size))
        let expected = PackIndex.Front(size: Int64(20 + size), sha256: SHA256.hash(alone).hex)
        for rest in [0, 1, 90_000] {
            let file = Self.file(front: Self.bytes(size), rest: rest)
            #expect(PackIndex.front(of: file) == expected)
            let published = PackIndex.Published(file)
            #expect(published.front == expected)
            let listed = published.listing(packURL: "https://h/T")
            #expect(listed.front == expected && listed.size == Int64(file.count))
            let written = PackIndex.Written(size: listed.size, sha256: listed.sha256, front: expected)
            #expect(written.listing(packURL: "https://h/T") == listed)
        }
    }

    @Test(
        arguments: [
            ("nothing", []),
            ("part of a head", Array(file(front: bytes(9)).prefix(19))),
            ("part of a front", file(front: bytes(9)).dropLast()),
            ("less than it says", file(says: .max, front: bytes(9), rest: 50)),
            ("something else", file(magic: "LRDRPTCH", front: bytes(9))),
            ("an earlier format", file(version: 1, front: bytes(9))),
            ("a later format", file(version: 3, front: bytes(9))),
        ] as [(String, [UInt8])])
    func whatHasNoneIsListedWithoutOne(name: String, file: [UInt8]) {
        #expect(PackIndex.front(of: file) == nil)
        #expect(PackIndex.Published(file).listing(packURL: "https://h/T").front == nil)
    }
}
