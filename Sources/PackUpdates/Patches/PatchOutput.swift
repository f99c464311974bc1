// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Deltas
import Kit

/// Decodes pieces of deltas side by side and hands the contents that they make to a sink, in order.
final class PatchOutput {
    /// A piece on its way, and from then on what it makes.
    private final class Piece {
        let head: DeltaPieceHead
        let payload: [UInt8]
        let base: PatchBase
        /// Counts the groups that were begun.
        let turn: Int
        /// Where the applying stands behind it.
        let end: PatchPosition
        let room: Room
        private(set) var failure: (any Error)?

        init(
            _ head: DeltaPieceHead, _ payload: [UInt8], _ base: PatchBase, turn: Int, end: PatchPosition, room: Room
        ) {
            self.head = head
            self.payload = payload
            self.base = base
            self.turn = turn
            self.end = end
            self.room = room
        }

        var target: UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(rebasing: room.bytes[..<head.targetSize])
        }

        func decode(_ decoder: DeltaDecoder?) {
            do {
                guard let decoder else { throw PackUpdateError(.io, "libzstd cannot be loaded.") }
                try payload.withUnsafeBytes { try decoder.decode(head, payload: $0, base: base, into: target) }
            } catch {
                failure = error
            }
        }
    }

    /// Memory for what a piece makes. It goes from one piece to the next: memory that is new costs more than writing to it.
    private final class Room {
        let bytes: UnsafeMutableRawBufferPointer

        init(_ size: Int) { bytes = .allocate(byteCount: size, alignment: 4096) }

        deinit { bytes.deallocate() }
    }

    private struct Group {
        let turn: Int
        var targets: ArraySlice<Int>
        /// Bytes of the first target that came before, when this goes on from a position.
        var begun: Int64
        /// Why the rest of the group cannot be had.
        var failure: (any Error)?
    }

    /// Two threads keep a fast disk busy; each takes memory for three pieces.
    private static let threads = 2
    /// While contents are written, others are decoded: so many pieces are under way at once, and so many bytes of them.
    private static let (mostPieces, mostBytes) = (16, 3 * DeltaFormat.pieceSize)

    let sink: any PatchSink
    private let index: PackIndex
    private let pipeline: OrderedPipeline<Piece>
    /// Each stream that is decoded takes some megabytes, and gives them back.
    private let reuse = Memory.Reuse()
    private var spareRooms: [Room] = []
    /// Of all rooms, spare or not.
    private var roomBytes = 0
    private var turns = 0
    /// Behind the latest piece.
    private var position = PatchPosition(group: 0, delta: 0, target: 0)
    /// Groups whose contents have not all come out, the first one being at work.
    private var groups: [Group] = []
    /// Bytes of the content at work that have not come.
    private var contentRest: Int64 = 0

    /// - Throws: `DeltaError.library` when libzstd is not there.
    init(index: PackIndex, sink: any PatchSink) throws {
        self.index = index
        self.sink = sink
        _ = try DeltaDecoder()
        pipeline = OrderedPipeline(threads: Self.threads) {
            let decoder = try? DeltaDecoder()
            return { $0.decode(decoder) }
        }
    }

    /// The next pieces make these contents, but for what they gave up to a position.
    func begin(_ targets: [Int], group: Int, from start: PatchPosition) {
        turns += 1
        position = start
        var made = start.target
        let rest = targets.drop { target in
            guard made >= index.contents[target].size else { return false }
            made -= index.contents[target].size
            return true
        }
        groups.append(Group(turn: turns, targets: rest, begun: made))
    }

    func submit(_ head: DeltaPieceHead, payload: [UInt8], base: PatchBase) throws {
        let room = try room(head.targetSize)
        position = PatchPosition(
            group: position.group, delta: position.delta + Int64(DeltaFormat.pieceHeadSize + payload.count),
            target: position.target + Int64(head.targetSize))
        pipeline.submit(Piece(head, payload, base, turn: turns, end: position, room: room))
        while let piece = pipeline.next(waiting: false) { try emit(piece) }
    }

    /// Room for one more piece, once there is.
    private func room(_ size: Int) throws -> Room {
        while true {
            if pipeline.inFlight < Self.mostPieces {
                if let fitting = spareRooms.lastIndex(where: { $0.bytes.count >= size }) {
                    return spareRooms.remove(at: fitting)
                }
                while roomBytes + size > Self.mostBytes, let spare = spareRooms.popLast() {
                    roomBytes -= spare.bytes.count
                }
                if roomBytes + size <= Self.mostBytes || pipeline.inFlight == 0 {
                    roomBytes += size
                    return Room(size)
                }
            }
            if let piece = pipeline.next(waiting: true) { try emit(piece) }
        }
    }

    /// What has not come of the latest group will not.
    func failRest(because reason: any Error) throws {
        try drain()
        guard let last = groups.last else { return }
        try fail(last.targets, reason)
        groups.removeAll()
        contentRest = 0
    }

    /// Waits for all pieces, and hands out what they make.
    func drain() throws {
        while let piece = pipeline.next(waiting: true) { try emit(piece) }
    }

    private func emit(_ piece: Piece) throws {
        defer { spareRooms.append(piece.room) }
        // Groups before it are complete, or they failed.
        while let first = groups.first, first.turn < piece.turn { groups.removeFirst() }
        guard let group = groups.first, group.turn == piece.turn, group.failure == nil else { return }
        if let failure = piece.failure {
            groups[0].failure = failure
            try fail(group.targets, failure)
            groups[0].targets = []
            contentRest = 0
            return
        }
        var rest = UnsafeRawBufferPointer(piece.target)
        while !rest.isEmpty, let content = groups[0].targets.first {
            if contentRest == 0 {
                let begun = groups[0].begun
                groups[0].begun = 0
                contentRest = index.contents[content].size - begun
                try sink.begin(content: content, at: begun)
            }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(clamping: contentRest)))
            try sink.data(part)
            contentRest -= Int64(part.count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            if contentRest == 0 { try end(content) }
        }
        try sink.reached(piece.end)
    }

    private func end(_ content: Int) throws {
        groups[0].targets.removeFirst()
        if try !sink.end(content: content) {
            try sink.fail(content: content, because: PackUpdateError.wrongContent)
        }
    }

    private func fail(_ contents: ArraySlice<Int>, _ reason: any Error) throws {
        for content in contents { try sink.fail(content: content, because: reason) }
    }
}
