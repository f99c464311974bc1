// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackUpdates
import System

/// Puts contents together as blocks of the archive come: pieces of local files, and of what was put together before, between those of
/// the stream, one content after the other, each checked against its digest before it counts. Blocks the thread it is used on.
final class ContentAssembler {
    private struct Item {
        let content: Int
        /// Without gaps, to the content's end.
        let pieces: [UpdatePlan.Piece]
    }

    private let index: PackIndex
    private let sink: StagingSink
    private let sources: UpdateSources
    private let path: (_ content: Int) -> String?
    private let openContent: (_ content: Int) -> OwnedDescriptor?
    private var items: ArraySlice<Item>
    /// Of the first item: which piece is next, and how many of its bytes are there.
    private var piece = 0
    private var done: Int64 = 0
    private var isBegun = false
    private var openLocal = LastOpened<LocalContents.Source>()
    private var openMade = LastOpened<Int>()
    /// Contents whose bytes were not right: a local file is damaged.
    private(set) var failed: [Int] = []
    /// Bytes that were taken from files that are here.
    private(set) var copied: Int64 = 0
    /// Called when a content is complete.
    var completed: ((_ content: Int) throws -> Void)?

    /// - Parameters:
    ///   - actions: of each content; those that are rebuilt are made.
    ///   - resumed: the content whose file is open in the sink.
    ///   - path: where a content goes, below the pack's contents.
    ///   - made: opens a content that is complete; nil when it is not there.
    init(
        _ actions: [UpdatePlan.Action], _ index: PackIndex, _ sink: StagingSink, _ sources: UpdateSources,
        resumed: Int?, path: @escaping (_ content: Int) -> String?, made: @escaping (_ content: Int) -> OwnedDescriptor?
    ) {
        self.index = index
        self.sink = sink
        self.sources = sources
        self.path = path
        openContent = made
        items =
            actions.enumerated().compactMap { content, action in
                if case .rebuild(let pieces) = action { Item(content: content, pieces: pieces) } else { nil }
            }[...]
        isBegun = resumed != nil && items.first?.content == resumed
    }

    /// Takes bytes of the archive's stream; offsets only grow.
    /// - Throws: `Errno`, `StoreError`
    func take(_ offset: Int64, _ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try copyLocal()
            guard let item = items.first, case .stream(let place, let size) = item.pieces[piece] else { return }
            let start = place + done
            let at = offset + Int64(rest.startIndex)
            guard at <= start else {
                throw StoreError(
                    .badArchive, "The blocks of the archive came in another order than they were asked for.")
            }
            guard start - at < Int64(rest.count) else { return }
            rest = rest.dropFirst(Int(start - at))
            let taken = rest.prefix(Int(clamping: size - done))
            try begin(item)
            try sink.data(UnsafeRawBufferPointer(rebasing: taken))
            rest = rest.dropFirst(taken.count)
            try advance(Int64(taken.count), item)
        }
    }

    /// No more blocks come: what is left is made of local files.
    /// - Returns: whether everything is there.
    func finish() throws -> Bool {
        try copyLocal()
        return items.isEmpty
    }

    /// Does everything that needs no block, up to the next piece that does.
    private func copyLocal() throws {
        while let item = items.first {
            guard item.pieces.indices.contains(piece) else {
                // Nothing is in it, or nothing was missing.
                try begin(item)
                try endContent(item)
                continue
            }
            let piece = item.pieces[piece]
            if case .stream = piece { return }
            try begin(item)
            let length = piece.size - done
            switch piece {
            case .local(let source, let offset, _):
                try copy(openLocal.file(source) { sources.file($0)?.open() }, offset + done, length)
            case .made(item.content, let offset, _): try copy(sink.output, offset + done, length)
            case .made(let content, let offset, _):
                try copy(openMade.file(content, openedBy: openContent), offset + done, length)
            case .stream: return
            }
            try advance(length, item)
        }
    }

    private func copy(_ source: FileDescriptor?, _ offset: Int64, _ length: Int64) throws {
        let begun = sink.written
        do {
            if let source {
                try sink.copy(UInt64(clamping: length), of: source, from: UInt64(clamping: offset))
            }
        } catch let error as Errno where error == .ioError {
            // The local file cannot be read, or is shorter now; the digest will tell.
        }
        let missing = length - Int64(clamping: sink.written - begun)
        copied += length - missing
        // Zeroes keep the places right; the content is refused at its end.
        if missing > 0 { try fill(missing) }
    }

    private func fill(_ count: Int64) throws {
        let zeroes = [UInt8](repeating: 0, count: Int(min(count, 64 << 10)))
        var left = count
        while left > 0 {
            let part = min(left, Int64(zeroes.count))
            try zeroes.withUnsafeBytes { try sink.data(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(part)))) }
            left -= part
        }
    }

    private func begin(_ item: Item) throws {
        guard !isBegun else { return }
        guard let path = path(item.content) else {
            throw StoreError(.badArchive, "The index of the pack lists a content without a file.")
        }
        try sink.begin(file: path, size: UInt64(clamping: index.contents[item.content].size))
        isBegun = true
    }

    private func advance(_ count: Int64, _ item: Item) throws {
        done += count
        guard done == item.pieces[piece].size else { return }
        piece += 1
        done = 0
        if piece == item.pieces.count { try endContent(item) }
    }

    private func endContent(_ item: Item) throws {
        items = items.dropFirst()
        (piece, done, isBegun) = (0, 0, false)
        if try sink.end(expecting: index.contents[item.content].digest) {
            try completed?(item.content)
        } else {
            failed.append(item.content)
        }
    }
}

/// The file that pieces were taken from last: the next is of the same as a rule.
private struct LastOpened<Key: Equatable> {
    private var last: (key: Key, descriptor: OwnedDescriptorBox?)?

    /// - Returns: nil when it cannot be opened.
    mutating func file(_ key: Key, openedBy open: (Key) -> OwnedDescriptor?) -> FileDescriptor? {
        if last?.key != key { last = (key, OwnedDescriptorBox(open(key))) }
        return last?.descriptor?.descriptor.borrowed
    }
}

/// A descriptor that can be kept in a tuple.
final class OwnedDescriptorBox {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    convenience init?(_ descriptor: consuming OwnedDescriptor?) {
        guard let descriptor else { return nil }
        self.init(descriptor)
    }
}
