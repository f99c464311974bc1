// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas
import Glibc
import Kit

/// A group at work: its bases, and their table, which is made when the first piece needs it and goes with the last.
/// Threads whose pieces need the table at the same time fill it together.
final class PatchGroupWork: Sendable {
    private struct State {
        var base: DeltaBase?
        /// Parts of the table that a thread took on, and those that are filled.
        var begun = 0
        var filled = 0
        var rest: Int
    }

    private enum Step {
        case fill(DeltaBase, part: Int)
        case use(DeltaBase)
    }

    let number: Int
    let isSlowAllowed: Bool
    let bases: MappedContents
    private let range: Range<Int>
    /// How many threads may fill the table.
    private let parts: Int
    private let state: Monitor<State>

    /// - Parameter threads: that work on pieces.
    init(number: Int, bases: MappedContents, range: Range<Int>, pieces: Int, threads: Int, isSlowAllowed: Bool) {
        self.number = number
        self.bases = bases
        self.range = range
        self.isSlowAllowed = isSlowAllowed
        parts = max(1, min(pieces, threads))
        state = Monitor(State(rest: pieces))
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bases.bytes[range]) }

    func base() -> DeltaBase {
        while true {
            switch state.wait(nextStep) {
            case .fill(let base, let part):
                base.fill(part: part)
                state.withLock { $0.filled += 1 }
            case .use(let base): return base
            }
        }
    }

    /// nil while other threads fill what is left.
    private func nextStep(_ state: inout State) -> Step? {
        let base: DeltaBase
        if let made = state.base {
            base = made
        } else {
            let (bases, range) = (bases, range)
            base = DeltaBase(unfilled: bytes, parts: parts) { bases.release(range) }
            state.base = base
        }
        if state.begun < base.parts {
            state.begun += 1
            return .fill(base, part: state.begun - 1)
        }
        return state.filled == base.parts ? .use(base) : nil
    }

    func finishPiece() {
        state.withLock { state in
            state.rest -= 1
            if state.rest == 0 { state.base = nil }
        }
    }
}

/// A piece of a group's targets on its way, and from then on its delta.
final class PatchPiece {
    let group: PatchGroupWork
    let count: Int
    private let targets: MappedContents
    private let range: Range<Int>
    private let places: [Int]
    private(set) var delta: [UInt8] = []
    private(set) var failure: (any Error)?

    /// - Parameter places: where in the group's bases the piece may stand if nothing moved.
    init(group: PatchGroupWork, targets: MappedContents, range: Range<Int>, places: [Int]) {
        self.group = group
        self.targets = targets
        self.range = range
        self.places = places
        count = range.count
    }

    /// Makes the delta, and undoes it to see that it gives the same again.
    func encode(_ coders: (encoder: DeltaEncoder, decoder: DeltaDecoder)?) {
        defer {
            group.finishPiece()
            targets.release(range)
        }
        guard let (encoder, decoder) = coders else {
            failure = DeltaError(.library, "libzstd cannot be loaded; install the package libzstd1.")
            return
        }
        let target = UnsafeRawBufferPointer(rebasing: targets.bytes[range])
        delta = encoder.encode(target, base: group.base(), places: places, isSlowAllowed: group.isSlowAllowed)
        let again = UnsafeMutableRawBufferPointer.allocate(byteCount: target.count, alignment: 16)
        defer { again.deallocate() }
        do {
            try delta.withUnsafeBytes { delta in
                let head = try DeltaPieceHead(UnsafeRawBufferPointer(rebasing: delta[..<DeltaFormat.pieceHeadSize]))
                try decoder.decode(
                    head, payload: UnsafeRawBufferPointer(rebasing: delta[DeltaFormat.pieceHeadSize...]),
                    base: DeltaMemorySource(group.bytes), into: again)
            }
            guard let made = again.baseAddress, let meant = target.baseAddress, memcmp(made, meant, target.count) == 0
            else {
                throw DeltaError(.damaged, "A delta does not give what it was made of; the disk or memory is failing.")
            }
        } catch {
            failure = error
        }
    }
}
