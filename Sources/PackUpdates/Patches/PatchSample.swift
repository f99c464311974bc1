// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Deltas
import Kit
package import System

/// How large a patch will be, as far as a few groups tell: making all of it takes minutes where it comes to gigabytes, which is too
/// much for what may turn out to be worth nothing.
package enum PatchSample {
    /// What is changed less is patched sooner than it is sampled.
    package static let leastChanged: Int64 = 128 << 20
    private static let mostGroups = 4
    /// Of a group's targets and bases, which have to be unpacked.
    private static let mostBytes: Int64 = 512 << 20

    /// The estimated bytes of a patch. Blocks.
    /// - Parameters:
    ///   - folder: where what is compared lies meanwhile.
    ///   - least: bytes of changed contents below which nobody looks.
    ///   - isCancelled: asked now and then; true ends the work with `CancellationError`.
    /// - Returns: nil when there is too little to patch, or no part of it is small enough to be tried.
    /// - Throws: as `PatchMaker.make`.
    package static func estimate(
        from old: PatchVersion, to new: PatchVersion, in folder: FilePath, least: Int64 = leastChanged,
        pieceSize: Int = DeltaFormat.pieceSize, isCancelled: () -> Bool = { false }
    ) throws -> Int64? {
        let plan = PatchPlan(from: old.index, to: new.index)
        func targetSize(_ group: PatchPlan.Group) -> Int64 {
            group.targets.reduce(0) { $0 + new.index.contents[$1].size }
        }
        let total = plan.groups.reduce(0) { $0 + targetSize($1) }
        guard total >= least else { return nil }
        let fitting = plan.groups.filter { group in
            let bases = group.bases.reduce(0) { $0 + old.index.contents[$1].size }
            let newBases = group.newBases.reduce(0) { $0 + new.index.contents[$1].size }
            return targetSize(group) + bases + newBases <= mostBytes
        }
        // What is left out must not be what most of the patch would be.
        guard fitting.reduce(0, { $0 + targetSize($1) }) >= total / 2 else { return nil }
        // From all over the pack, so that what is at its beginning does not speak for all.
        let count = min(mostGroups, fitting.count)
        let sample = PatchPlan(groups: (0..<count).map { fitting[(2 * $0 + 1) * fitting.count / (2 * count)] })
        do {
            let (made, tried) = try sizes(of: sample, from: old, to: new, in: folder, pieceSize, isCancelled)
            return Int64(Double(made) / Double(max(1, tried)) * Double(total))
        } catch let error as Errno {
            throw PackUpdateError(.io, "Could not write to \"\(folder)\": \(error.clause).", cause: error)
        }
    }

    /// What the first piece of each group comes to, and how many bytes these pieces give.
    private static func sizes(
        of plan: PatchPlan, from old: PatchVersion, to new: PatchVersion, in folder: FilePath, _ pieceSize: Int,
        _ isCancelled: () -> Bool
    ) throws -> (made: Int, tried: Int) {
        let layout = PatchLayout(of: plan, from: old, to: new)
        let (bases, targets) = try PatchMaker.unpack(
            layout, ExaminedContents(), from: old, to: new, in: folder, isCancelled)
        let memory = CodingMemory()
        let pipeline = OrderedPipeline<PatchPiece>(threads: min(Processors.count, mostGroups)) {
            let encoder = try? DeltaEncoder(memory: memory)
            let decoder = try? DeltaDecoder()
            return { piece in piece.encode(encoder.flatMap { encoder in decoder.map { (encoder, $0) } }) }
        }
        for (number, range) in layout.groups.enumerated() {
            guard let first = PatchMaker.pieces(of: range.targets, atMost: pieceSize).first else { continue }
            let group = PatchGroupWork(
                number: number, bases: bases, group: range, pieces: 1, threads: 1, isSlowAllowed: false)
            let places = layout.places(of: first, in: number)
            pipeline.submit(
                PatchPiece(
                    group: group, targets: targets, range: first, behind: range.targets.lowerBound, places: places))
        }
        var (made, tried) = (0, 0)
        while let piece = pipeline.next(waiting: true) {
            if isCancelled() { throw CancellationError() }
            if let failure = piece.failure { throw failure }
            made += piece.delta.count
            tried += piece.count
        }
        return (made, tried)
    }
}
