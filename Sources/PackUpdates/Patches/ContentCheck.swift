// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit

/// Compares contents, or chunks of them, with their digests as blocks of the stream come by in order.
struct ContentCheck {
    private struct Item {
        let stretch: Range<Int64>
        let isRight: (Digest) -> Bool
    }

    /// In order and apart.
    private let items: [Item]
    private var current = 0
    private var digest = SHA256()
    private var done: Int64 = 0

    /// - Parameter parts: numbers of contents, and which bytes of them: all, or whole chunks.
    init(_ index: PackIndex, _ parts: [(content: Int, part: Range<Int64>)]) {
        func isWhole(_ content: Int, _ part: Range<Int64>) -> Bool { part.count == index.contents[content].size }
        let whole = Set(parts.filter { isWhole($0.content, $0.part) }.map(\.content))
        var items: [Item] = []
        for content in whole where index.contents[content].size > 0 {
            let (start, expected) = (index.contents[content].offset, index.contents[content].digest)
            items.append(Item(stretch: start..<start + index.contents[content].size) { $0 == expected })
        }
        var ranges: [Int: [Range<Int64>]] = [:]
        for (content, part) in parts where !whole.contains(content) { ranges[content, default: []].append(part) }
        for (content, ranges) in ranges {
            let start = index.contents[content].offset
            let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
            for (part, chunk) in index.chunks(of: content, holding: sorted) {
                items.append(
                    Item(stretch: start + part.lowerBound..<start + part.upperBound) {
                        ContentChunker.prefix(of: $0) == chunk.digestPrefix
                    })
            }
        }
        self.items = items.sorted { $0.stretch.lowerBound < $1.stretch.lowerBound }
    }

    /// - Throws: `PackUpdateError.mismatch`
    mutating func update(_ bytes: UnsafeRawBufferPointer, at start: Int64) throws {
        let range = start..<start + Int64(bytes.count)
        while current < items.count {
            let stretch = items[current].stretch
            let part = (stretch.lowerBound + done..<stretch.upperBound).clamped(to: range)
            guard !part.isEmpty else { return }
            digest.update(
                UnsafeRawBufferPointer(
                    rebasing: bytes[Int(part.lowerBound - start)..<Int(part.upperBound - start)]))
            done += Int64(part.count)
            guard done == stretch.count else { return }
            guard items[current].isRight(digest.finishAndReset()) else { throw Self.mismatch }
            (current, done) = (current + 1, 0)
        }
    }

    /// - Throws: `PackUpdateError.mismatch` when not all came.
    func finish() throws { if current < items.count { throw Self.mismatch } }

    private static var mismatch: PackUpdateError {
        PackUpdateError(
            .mismatch,
            "The archive holds something else than its index says. If it was damaged, restore it ('ba-package verify --manifest' "
                + "tells); if it is right, remove its index and make it again with 'ba-package index'.")
    }
}
