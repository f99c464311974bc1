// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import System
import Testing

@testable import Crypto

@Suite struct TreeDigestTests {
    private static let mebibyte = TreeDigest.spanSize

    /// Bytes that differ from span to span.
    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }
    }

    /// The definition, written the plain way.
    private func reference(_ data: [UInt8]) -> Digest {
        var leaves: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: Self.mebibyte) {
            leaves += SHA256.hash(Array(data[start..<min(start + Self.mebibyte, data.count)])).bytes
        }
        return SHA256.hash(leaves)
    }

    @Test(arguments: [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte, 3 * mebibyte + 5])
    func isTheHashOfTheSpansHashes(length: Int) {
        let data = bytes(length)
        #expect(TreeDigest.hash(data) == reference(data))
    }

    @Test func anEmptyFileHasNoLeaves() {
        #expect(TreeDigest.hash([]) == SHA256.hash([]))
    }

    @Test(arguments: [1 << 10, 65_537, mebibyte, 2 * mebibyte + 3])
    func piecesDoNotMatter(piece: Int) {
        let data = bytes(3 * Self.mebibyte + 17)
        var digest = TreeDigest()
        for start in stride(from: 0, to: data.count, by: piece) {
            digest.update(Array(data[start..<min(start + piece, data.count)]))
        }
        #expect(digest.length == Int64(data.count))
        #expect(digest.finish() == reference(data))
    }

    @Test func goesOnFromTheLastBoundary() throws {
        let data = bytes(4 * Self.mebibyte + 100)
        var broken = TreeDigest()
        broken.update(Array(data[..<(2 * Self.mebibyte + 500)]))
        let leaves = try #require(TreeDigest.Leaves(bytes: broken.leaves.bytes))
        #expect(leaves.boundary == Int64(2 * Self.mebibyte))

        var resumed = TreeDigest(resuming: leaves)
        resumed.update(Array(data[Int(leaves.boundary)...]))
        #expect(resumed.finish() == reference(data))

        let earlier = leaves.truncated(to: Int64(2 * Self.mebibyte - 1))
        #expect(earlier.count == 1)
        #expect(leaves.truncated(to: -5).count == 0)
        #expect(leaves.truncated(to: .max) == leaves)
        var again = TreeDigest(resuming: earlier)
        again.update(Array(data[Int(earlier.boundary)...]))
        #expect(again.finish() == reference(data))
    }

    @Test func leavesAreWholeDigests() {
        #expect(TreeDigest.Leaves(bytes: [UInt8](repeating: 0, count: 33)) == nil)
    }

    @Test func readsFiles() throws {
        var template = Array("/tmp/larder-tree-XXXXXX".utf8CString)
        let number = try systemCall { mkstemp(&template) }
        _ = unlink(template)
        let file = FileDescriptor(rawValue: number)
        defer { _ = try? file.close() }
        let data = bytes(2 * Self.mebibyte + 9)
        try file.writeAll(data)
        let result = try TreeDigest.hash(file: file)
        #expect(result.digest == reference(data))
        #expect(result.length == Int64(data.count))
    }
}
