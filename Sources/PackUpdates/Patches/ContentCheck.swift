// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit

/// Compares contents with their digests as blocks of the stream come by in order.
struct ContentCheck {
    private let contents: [PackIndex.Content]
    private var current = 0
    private var digest = SHA256()
    private var done: Int64 = 0

    init(_ index: PackIndex, _ numbers: Set<Int>) {
        contents = numbers.map { index.contents[$0] }.filter { $0.size > 0 }.sorted { $0.offset < $1.offset }
    }

    /// - Throws: `PackUpdateError.mismatch`
    mutating func update(_ bytes: UnsafeRawBufferPointer, at start: Int64) throws {
        let range = start..<start + Int64(bytes.count)
        while current < contents.count {
            let content = contents[current]
            let part = (content.offset + done..<content.offset + content.size).clamped(to: range)
            guard !part.isEmpty else { return }
            digest.update(
                UnsafeRawBufferPointer(
                    rebasing: bytes[Int(part.lowerBound - start)..<Int(part.upperBound - start)]))
            done += Int64(part.count)
            guard done == content.size else { return }
            guard digest.finishAndReset() == content.digest else { throw Self.mismatch }
            (current, done) = (current + 1, 0)
        }
    }

    /// - Throws: `PackUpdateError.mismatch` when not all contents came.
    func finish() throws { if current < contents.count { throw Self.mismatch } }

    private static var mismatch: PackUpdateError {
        PackUpdateError(.mismatch, "The archive holds something else than its index says; make the index again.")
    }
}
