// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
import Deltas
import Kit

/// Applies a patch that comes in pieces of any size. Pieces of its deltas are decoded by own threads, and contents come to
/// the sink in order, each checked against the index. Memory is a few pieces, whatever the patch claims. Use it from one
/// thread; after an error it is of no more use.
package final class PatchApplier {
    private enum State {
        case head
        case table(head: [UInt8], size: Int)
        case pieceHead
        case payload(DeltaPieceHead)
        case skipping
        case done
    }

    private let index: PackIndex
    private let indexDigest: Digest
    private let baseDigest: Digest
    private let output: PatchOutput
    private var state = State.head
    /// The bytes that have come of what `state` waits for.
    private var pending: [UInt8] = []
    private var groups: ArraySlice<PatchTable.Group> = []
    /// Bytes of the current group's delta and target that have not come.
    private var deltaRest: Int64 = 0
    private var targetRest: Int64 = 0
    private var base: PatchBase?
    /// Contents of the groups so far that may still be on their way.
    private var given: Set<Digest> = []

    /// - Parameters:
    ///   - index: of the version that the patch leads to.
    ///   - indexDigest: SHA-256 of that index's file.
    ///   - base: tree digest of the archive that the patch starts from.
    /// - Throws: `DeltaError.library` when libzstd is not there.
    package init(index: PackIndex, indexDigest: Digest, base: Digest, sink: any PatchSink) throws {
        self.index = index
        self.indexDigest = indexDigest
        baseDigest = base
        output = try PatchOutput(index: index, sink: sink)
    }

    /// - Throws: `PackUpdateError`, or what the sink throws.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            switch state {
            case .head: if take(&rest, upTo: PatchTable.headSize) { try beginTable() }
            case .table(let head, let size): if take(&rest, upTo: size) { try readTable(head) }
            case .pieceHead: if take(&rest, upTo: DeltaFormat.pieceHeadSize) { try beginPiece() }
            case .payload(let head): if take(&rest, upTo: head.payloadSize) { try endPiece(head) }
            case .skipping: try skip(&rest)
            case .done: throw PatchTable.damaged("something follows its end")
            }
        }
    }

    /// Says that the patch is complete, and waits for what is still being decoded.
    /// - Throws: `PackUpdateError.damagedPatch` when it is not; or what the sink throws.
    package func finish() throws {
        guard case .done = state else { throw PatchTable.damaged("it ends too early") }
        try output.drain()
    }

    /// Moves bytes to `pending` until there are `size`; true when there are.
    private func take(_ rest: inout UnsafeRawBufferPointer, upTo size: Int) -> Bool {
        let count = min(rest.count, size - pending.count)
        pending.append(contentsOf: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        return pending.count == size
    }

    private func takePending() -> [UInt8] {
        defer { pending = [] }
        return pending
    }

    private func beginTable() throws {
        let head = takePending()
        let size = try PatchTable.size(head: head)
        guard size > 0 else { throw PatchTable.damaged("it has no table") }
        state = .table(head: head, size: size)
    }

    private func readTable(_ head: [UInt8]) throws {
        let table = try PatchTable(head: head, table: takePending(), index: index)
        guard table.indexDigest == indexDigest else {
            throw PackUpdateError(.mismatch, "The patch leads to another version than the index describes.")
        }
        guard table.baseDigest == baseDigest else {
            throw PackUpdateError(.mismatch, "The patch starts from another version than the one that is here.")
        }
        groups = table.groups[...]
        try beginGroup()
    }

    /// Goes on to the next group that can be applied; of those before it, only one with a delta has to be passed over.
    private func beginGroup() throws {
        while let group = groups.popFirst() {
            deltaRest = group.deltaSize
            targetRest = group.targets.reduce(0) { $0 + index.contents[$1].size }
            if group.bases.contains(where: { given.contains($0.digest) }) {
                // What an earlier group gives must have come out before it is a base.
                try output.drain()
                given.removeAll()
            }
            output.begin(group.targets)
            given.formUnion(group.targets.map { index.contents[$0].digest })
            do {
                base = try openBase(group.bases)
                guard deltaRest > 0 else { throw PatchTable.damaged("a group has no delta") }
                state = .pieceHead
                return
            } catch let error as PackUpdateError {
                // A base that is not there is the group's matter; what else the sink throws is not.
                try output.failRest(because: error)
                base = nil
                guard deltaRest == 0 else {
                    state = .skipping
                    return
                }
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
                    .io, "A content that others are made of is missing here or damaged: SHA-256 \(base.digest.hex).")
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
            try failGroup(error)
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
            try failGroup(PatchTable.damaged("a group's delta is not as long as it says"))
        } else {
            state = .pieceHead
        }
    }

    /// Gives the group up and passes over the rest of its delta.
    private func failGroup(_ reason: any Error) throws {
        try output.failRest(because: reason)
        base = nil
        if deltaRest > 0 { state = .skipping } else { try beginGroup() }
    }

    private func skip(_ rest: inout UnsafeRawBufferPointer) throws {
        let count = Int(min(Int64(rest.count), deltaRest))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        deltaRest -= Int64(count)
        if deltaRest == 0 { try beginGroup() }
    }
}
