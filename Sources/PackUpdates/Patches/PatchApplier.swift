// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas
import Kit

/// Applies groups of a patch whose bytes come in pieces of any size. Pieces of its deltas are decoded by own threads, and
/// contents come to the sink in order. Memory is a few pieces, whatever the patch claims. Use it from one thread; after an
/// error it is of no more use.
package final class PatchApplier {
    private enum State {
        case pieceHead
        case payload(DeltaPieceHead)
        case skipping
        case done
    }

    private struct Group {
        let number: Int
        /// Its delta in the file, without what was used already.
        var range: Range<Int64>
    }

    private let table: PatchTable
    private let index: PackIndex
    private let output: PatchOutput
    private let start: PatchPosition?
    private var state = State.done
    /// The bytes that have come of what `state` waits for.
    private var pending: [UInt8] = []
    private var groups: ArraySlice<Group>
    /// Where the next byte of the group at work lies in the file.
    private var next: Int64 = 0
    /// Bytes of that group's delta and target that have not come.
    private var deltaRest: Int64 = 0
    private var targetRest: Int64 = 0
    private var base: PatchBase?
    /// Contents of the groups so far that may still be on their way.
    private var given: Set<Int> = []
    /// How many bases of groups that may still be on their way are open, and how many may be: systems let a process have 1,024 files.
    private var opened = 0
    private static let mostOpened = 512

    /// - Parameters:
    ///   - ranges: where the groups' deltas are in the patch's file.
    ///   - index: of the version that the patch leads to.
    ///   - groups: which groups are applied, by their numbers, ascending.
    ///   - position: where one of them goes on; nothing before it is needed.
    /// - Throws: `DeltaError.library` when libzstd is not there; what the sink throws.
    package init(
        _ table: PatchTable, ranges: [Range<Int64>], index: PackIndex, groups: [Int],
        from position: PatchPosition? = nil,
        sink: any PatchSink
    ) throws {
        self.table = table
        self.index = index
        start = position
        self.groups =
            groups.filter { table.groups.indices.contains($0) && ranges.indices.contains($0) }.map { group in
                let used = position.flatMap { $0.group == group ? $0.delta : nil } ?? 0
                return Group(
                    number: group,
                    range: min(
                        ranges[group].lowerBound + max(0, used), ranges[group].upperBound)..<ranges[group].upperBound)
            }[...]
        output = try PatchOutput(index: index, sink: sink)
        try beginGroup()
    }

    /// Takes bytes of the patch's file; offsets only grow. What belongs to none of the groups is passed over.
    /// - Throws: `PackUpdateError`, or what the sink throws.
    package func take(_ offset: Int64, _ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        var at = offset
        while !rest.isEmpty {
            if case .done = state { return }
            guard at <= next else { throw PatchTable.damaged("parts of it are missing") }
            let gap = Int(clamping: next - at)
            guard gap < rest.count else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(gap))
            at = next
            let before = rest.count
            switch state {
            case .pieceHead: if gather(&rest, upTo: DeltaFormat.pieceHeadSize) { try beginPiece() }
            case .payload(let head): if gather(&rest, upTo: head.payloadSize) { try endPiece(head) }
            case .skipping: try skip(&rest)
            case .done: return
            }
            at += Int64(before - rest.count)
        }
    }

    /// Says that all has come, and waits for what is still being decoded.
    /// - Throws: `PackUpdateError.damagedPatch` when it has not; or what the sink throws.
    package func finish() throws {
        guard case .done = state else { throw PatchTable.damaged("it ends too early") }
        try output.drain()
    }

    /// Hands over what was decoded of what has come so far.
    /// - Throws: what the sink throws.
    package func settle() throws { try output.drain() }

    /// Moves bytes to `pending` until there are `size`; true when there are.
    private func gather(_ rest: inout UnsafeRawBufferPointer, upTo size: Int) -> Bool {
        let count = min(rest.count, size - pending.count)
        if pending.isEmpty { pending.reserveCapacity(size) }
        pending.append(contentsOf: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        next += Int64(count)
        return pending.count == size
    }

    private func takePending() -> [UInt8] {
        defer { pending = [] }
        return pending
    }

    /// Goes on to the next group that can be applied; of those before it, only one with a delta has to be passed over.
    private func beginGroup() throws {
        while let group = groups.popFirst() {
            let targets = table.groups[group.number].targets
            let size = targets.reduce(0) { $0 + index.contents[$1].size }
            let position = start?.group == group.number ? start : nil
            let made = min(max(0, position?.target ?? 0), size)
            next = group.range.lowerBound
            deltaRest = group.range.upperBound - group.range.lowerBound
            targetRest = size - made
            let needsGiven = table.groups[group.number].bases.contains { base in
                if case .new(let content) = base.source { given.contains(content) } else { false }
            }
            let bases = table.groups[group.number].bases.count
            if needsGiven || opened + bases > Self.mostOpened {
                // What an earlier group gives must have come out before it is a base.
                try output.drain()
                given.removeAll()
                (base, opened) = (nil, 0)
            }
            opened += bases
            given.formUnion(targets)
            output.begin(
                targets, group: group.number,
                from: PatchPosition(
                    group: group.number, delta: table.groups[group.number].deltaSize - deltaRest, target: made))
            do {
                base = try openBase(table.groups[group.number].bases)
                guard deltaRest > 0, targetRest > 0 else {
                    throw PatchTable.damaged("a group's delta is not as long as it says")
                }
                state = .pieceHead
                return
            } catch {
                // A base that is not there is the group's matter; what else the sink throws is not.
                guard error is PackUpdateError else { throw error }
                if try failGroup(error) { return }
            }
        }
        state = .done
    }

    private func openBase(_ bases: [PatchTable.Base]) throws -> PatchBase {
        var rest = bases[...]
        return try PatchBase {
            guard let base = rest.popFirst() else { return nil }
            guard let part = try output.sink.base(base) else {
                throw PackUpdateError(
                    .io,
                    "A content that others are made of is missing here or damaged\(base.described)."
                )
            }
            return part
        }
    }

    private func beginPiece() throws {
        let bytes = takePending()
        deltaRest -= Int64(bytes.count)
        do {
            let head = try bytes.withUnsafeBytes { try DeltaPieceHead($0) }
            guard Int64(head.payloadSize) <= deltaRest, Int64(head.targetSize) <= targetRest, head.payloadSize > 0
            else {
                throw PatchTable.damaged("a piece is larger than its group")
            }
            state = .payload(head)
        } catch {
            if try !failGroup(error) { try beginGroup() }
        }
    }

    private func endPiece(_ head: DeltaPieceHead) throws {
        let payload = takePending()
        deltaRest -= Int64(payload.count)
        targetRest -= Int64(head.targetSize)
        if let base { try output.submit(head, payload: payload, base: base) }
        if targetRest == 0, deltaRest == 0 {
            try beginGroup()
        } else if targetRest == 0 || deltaRest < Int64(DeltaFormat.pieceHeadSize) {
            if try !failGroup(PatchTable.damaged("a group's delta is not as long as it says")) { try beginGroup() }
        } else {
            state = .pieceHead
        }
    }

    /// Gives the group up.
    /// - Returns: whether bytes of its delta are still to be passed over.
    private func failGroup(_ reason: any Error) throws -> Bool {
        try output.failRest(because: reason)
        base = nil
        guard deltaRest > 0 else { return false }
        state = .skipping
        return true
    }

    private func skip(_ rest: inout UnsafeRawBufferPointer) throws {
        let count = Int(min(Int64(rest.count), deltaRest))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        deltaRest -= Int64(count)
        next += Int64(count)
        if deltaRest == 0 { try beginGroup() }
    }
}

extension PatchTable.Base {
    /// The end of a sentence.
    fileprivate var described: String {
        switch source {
        case .old(let name): ": its SHA-256 begins with \(name.hex)"
        case .new(let content): ": the patch should have given it before, as content \(content)"
        }
    }
}
