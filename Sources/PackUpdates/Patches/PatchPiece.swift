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
        /// What it is made of when that is not the bases themselves.
        var compared: ComparedBytes?
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
    /// What is known of the target; nil when all is compared.
    let shared: SharedChunks?
    private let bases: PatchBases
    private let range: Range<Int>
    private let counterparts: [Match]
    /// The targets, one behind the other, and where the first begins in their file.
    private let contents: [Range<Int>]
    private let targetStart: Int
    private let baseSpans: Spans
    /// How many threads may fill the table.
    private let parts: Int
    private let state: Monitor<State>

    /// - Parameter threads: that work on pieces.
    init(
        number: Int, bases: PatchBases, group: PatchLayout.Group, pieces: Int, threads: Int, isSlowAllowed: Bool
    ) {
        self.number = number
        self.bases = bases
        range = group.bases
        counterparts = group.counterparts
        contents = group.contents
        targetStart = group.targets.lowerBound
        shared = group.shared
        baseSpans = Spans(group.shared?.baseSpans ?? [])
        self.isSlowAllowed = isSlowAllowed
        parts = max(1, min(pieces, threads))
        state = Monitor(State(rest: pieces))
    }

    /// Of the bases, one behind the other; of those of a group that shares chunks, what of them was asked for.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bases.contents.bytes[range]) }

    /// Has more of the bases in `bytes`.
    /// - Throws: as `PatchVersion.unpack`.
    func require(_ stretch: Range<Int>) throws { try bases.require(stretch, of: number) }

    /// What is known of a piece of the target.
    /// - Parameter piece: its place in the group's targets.
    func known(of piece: Range<Int>) -> KnownStretches? {
        guard let shared else { return nil }
        let copies = shared.copies.compactMap { $0.part(in: piece) }
        let spans = shared.targetSpans.map { $0.clamped(to: piece) }.filter { !$0.isEmpty }.map {
            $0.lowerBound - piece.lowerBound..<$0.upperBound - piece.lowerBound
        }
        return KnownStretches(copies: copies, targetSpans: spans, baseSpans: baseSpans)
    }

    /// What in the bases a piece of the targets is likely a later state of.
    /// - Parameter piece: its place in the group's targets.
    func counterparts(of piece: Range<Int>) -> [Match] { counterparts.compactMap { $0.part(in: piece) } }

    /// Where in contents of which a piece of the targets has a part triangles stand, from the piece's first byte on.
    /// - Parameter piece: its place in the group's targets.
    func triangles(of piece: Range<Int>, in targets: MappedContents) -> [Range<Int>] {
        contents.filter { $0.overlaps(piece) }.compactMap { content in
            let (start, end) = (targetStart + content.lowerBound, targetStart + content.upperBound)
            let bytes = UnsafeRawBufferPointer(rebasing: targets.bytes[start..<end])
            return TriangleMesh.triangles(of: bytes).map { triangles in
                let first = content.lowerBound - piece.lowerBound
                return first + triangles.lowerBound..<first + triangles.upperBound
            }
        }
    }

    /// Lets go of what was read of the bases.
    func release(_ stretches: [Match]) {
        guard let first = stretches.map(\.base).min(), let end = stretches.map({ $0.base + $0.count }).max() else {
            return
        }
        bases.contents.release(range.lowerBound + first..<range.lowerBound + end)
    }

    /// What pieces are compared with.
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
            let (contents, range) = (bases.contents, range)
            if shared != nil {
                let compared = ComparedBytes(bytes, baseSpans)
                contents.release(range)
                state.compared = compared
                base = DeltaBase(unfilled: compared.bytes, parts: parts) {}
            } else {
                base = DeltaBase(unfilled: bytes, parts: parts) { contents.release(range) }
            }
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
            if state.rest == 0 { (state.base, state.compared) = (nil, nil) }
        }
    }
}

/// A piece of a group's targets on its way, and from then on its delta.
final class PatchPiece {
    let group: PatchGroupWork
    let count: Int
    private let targets: MappedContents
    private let range: Range<Int>
    /// In the group's targets.
    private let place: Range<Int>
    private let places: [Int]
    private(set) var delta: [UInt8] = []
    private(set) var failure: (any Error)?

    /// - Parameters:
    ///   - range: in `targets`.
    ///   - start: where the group's targets begin there.
    ///   - places: where in the group's bases the piece may stand if nothing moved.
    init(group: PatchGroupWork, targets: MappedContents, range: Range<Int>, behind start: Int, places: [Int]) {
        self.group = group
        self.targets = targets
        self.range = range
        place = range.lowerBound - start..<range.upperBound - start
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
        let known = group.known(of: place)
        let counterparts = group.counterparts(of: place)
        defer { group.release(counterparts) }
        do {
            if let known {
                delta = try encoder.encode(
                    target, known: known, bytes: group.bytes, base: group.base, counterparts: counterparts,
                    isSlowAllowed: group.isSlowAllowed, require: group.require)
            } else if let unmoved = encoder.encodeUnmoved(
                target, bytes: group.bytes, counterparts: counterparts, isSlowAllowed: group.isSlowAllowed)
            {
                delta = unmoved
            } else {
                delta = encoder.encode(
                    target, triangles: group.triangles(of: place, in: targets), bytes: group.bytes,
                    counterparts: counterparts
                ) {
                    encoder.encode(target, base: group.base(), places: places, isSlowAllowed: group.isSlowAllowed)
                }
            }
            try check(decoder, target, known?.targetSpans.ranges ?? [0..<target.count])
        } catch {
            failure = error
        }
    }

    /// Undoes the delta.
    /// - Parameter stretches: of the target, that are compared.
    private func check(
        _ decoder: DeltaDecoder, _ target: UnsafeRawBufferPointer, _ stretches: [Range<Int>]
    ) throws {
        let again = UnsafeMutableRawBufferPointer.allocate(byteCount: target.count, alignment: 16)
        defer { again.deallocate() }
        try delta.withUnsafeBytes { delta in
            let head = try DeltaPieceHead(UnsafeRawBufferPointer(rebasing: delta[..<DeltaFormat.pieceHeadSize]))
            try decoder.decode(
                head, payload: UnsafeRawBufferPointer(rebasing: delta[DeltaFormat.pieceHeadSize...]),
                base: DeltaMemorySource(group.bytes), into: again)
        }
        guard let made = again.baseAddress, let meant = target.baseAddress,
            stretches.allSatisfy({ memcmp(made + $0.lowerBound, meant + $0.lowerBound, $0.count) == 0 })
        else {
            throw DeltaError(.damaged, "A delta does not give what it was made of; the disk or memory is failing.")
        }
    }
}

extension Match {
    /// What of it lies in a range of the target, as if this were all of it; nil for nothing.
    fileprivate func part(in range: Range<Int>) -> Match? {
        clamped(to: range).map { Match(target: $0.target - range.lowerBound, base: $0.base, count: $0.count) }
    }
}

/// Stretches of the bases, one behind the other.
// Safe: the bytes never change once it is made.
private final class ComparedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ source: UnsafeRawBufferPointer, _ spans: Spans) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: spans.count, alignment: 4096)
        spans.gather(source, into: room)
        bytes = UnsafeRawBufferPointer(room)
    }

    deinit { bytes.deallocate() }
}
