// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Deltas
import Kit
package import System

/// Makes the patch from one version of a pack to another. Works on all cores, in bounded memory: what it compares lies in
/// files beside the patch for as long as it takes.
package enum PatchMaker {
    /// What became of it.
    package struct Summary: Hashable, Sendable {
        /// The patch, in bytes.
        package let size: Int64
        /// How many contents the old version has not, and their sum in bytes.
        package let changedContents: Int
        package let changedBytes: Int64
        /// The new archive, in bytes.
        package let archiveSize: Int64
    }

    /// Each thread takes some thirty megabytes besides what the best coders share.
    static let mostThreads = 6
    /// While the targets so far are at most this part of the pack, size counts more than the time to apply.
    private static let slowPart: Int64 = 16
    private static let alwaysSlow: Int64 = 4 << 20
    /// Of packs of fewer bytes nobody notices the time.
    private static let smallPack: Int64 = 32 << 20

    /// Of many small pieces one is written while others are decoded, and pieces that stand for themselves take more bytes in all:
    /// in between are some two dozen.
    private static let usualPieces: Int64 = 24
    private static let smallestPiece = 2 << 20

    /// Between two looks at whether to go on while one version is unpacked already.
    static let cancellationPause = Duration.milliseconds(50)

    /// Throws when the library that patches are made with is not there.
    /// - Throws: `DeltaError.library`
    package static func requireLibrary() throws { _ = try DeltaDecoder() }

    /// Makes the patch; it appears when it is complete. Blocks.
    /// - Parameters:
    ///   - pieceSize: the most bytes that one piece of a delta gives; nil for what suits the patch.
    ///   - isCancelled: asked now and then; true ends the work with `CancellationError`.
    ///   - progress: called with the bytes of changed contents done so far, and their sum.
    /// - Throws: `PackUpdateError`, `ArchiveError`, `AssetPackError`; `outputExists` when something is at `path`.
    package static func make(
        from old: PatchVersion, to new: PatchVersion, at path: FilePath, pieceSize: Int? = nil,
        isCancelled: () -> Bool = { false },
        progress: (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> Summary {
        do {
            var file = try NewFile(at: path)
            let summary = try write(from: old, to: new, file.descriptor, beside: path, pieceSize, isCancelled, progress)
            try file.publish()
            return summary
        } catch let error as Errno {
            throw Packager.describe(error, writing: path)
        }
    }

    private static func table(
        _ plan: PatchPlan, _ sizes: [Int64], from old: PatchVersion, to new: PatchVersion
    ) -> PatchTable {
        PatchTable(
            index: VersionMark(new.indexDigest), baseDigest: old.index.archive.digest,
            groups: zip(plan.groups, sizes).map { group, size in
                let bases =
                    group.bases.map { number in
                        let content = old.index.contents[number]
                        return PatchTable.Base(.old(ContentName(content.digest)), size: content.size)
                    } + group.newBases.map { .init(.new($0), size: new.index.contents[$0].size) }
                return .init(targets: group.targets, bases: bases, deltaSize: size)
            })
    }

    /// - Throws: `PackUpdateError.tooLarge` when devices would not take a patch with this table.
    static func check(_ table: PatchTable) throws {
        let (size, most) = (table.body().count, PatchTable.Format.mostTableBytes)
        let (bases, mostBases) = (table.groups.reduce(0) { $0 + $1.bases.count }, PatchTable.Format.mostBasesInAll)
        guard bases <= mostBases else {
            throw PackUpdateError(
                .tooLarge,
                "There can be no patch: so many files changed that it would start \(bases) times from an old one, and devices "
                    + "take \(mostBases). Without one they fetch the blocks that changed.")
        }
        guard size > most else { return }
        throw PackUpdateError(
            .tooLarge,
            "There can be no patch: so many files changed that its table would have \(ByteCount.formatted(Int64(size))), and "
                + "devices take \(ByteCount.formatted(Int64(most))). Without one they fetch the blocks that changed.")
    }

    private static func write(
        from old: PatchVersion, to new: PatchVersion, _ file: FileDescriptor, beside path: FilePath,
        _ pieceSize: Int?, _ isCancelled: () -> Bool, _ progress: (_ completed: Int64, _ total: Int64) -> Void
    ) throws -> Summary {
        let parent = path.removingLastComponent()
        let folder = parent.isEmpty ? "." : parent
        let resemblance = ContentResemblance(from: old.index, to: new.index)
        let examined = try resemblance.examined(from: old.index, to: new.index) { (oldLayout, newLayout, size) in
            let file = try scratchFile(in: folder, "resemblance", size)
            try unpack((old, oldLayout), (new, newLayout), to: [file.descriptor], isCancelled)
            return try MappedContents(file.descriptor, size: size)
        }
        let plan = PatchPlan(from: old.index, to: new.index, resembling: examined.bases)
        // No delta is larger than its targets by as much as a factor of two.
        let longest = plan.groups.map { $0.targets.reduce(0) { $0 + new.index.contents[$1].size } * 2 }
        try check(Self.table(plan, longest, from: old, to: new))
        let layout = PatchLayout(of: plan, from: old, to: new)
        let (bases, targets) = try unpack(layout, examined, from: old, to: new, in: folder, isCancelled)
        let deltas = try scratchFile(in: folder, "deltas")
        var sizes = [Int64](repeating: 0, count: plan.groups.count)
        var completed: Int64 = 0
        let memory = CodingMemory()
        let threads = min(Processors.count, mostThreads)
        let pipeline = OrderedPipeline<PatchPiece>(threads: threads) {
            let encoder = try? DeltaEncoder(memory: memory)
            let decoder = try? DeltaDecoder()
            return { piece in piece.encode(encoder.flatMap { encoder in decoder.map { (encoder, $0) } }) }
        }
        func finish(_ piece: PatchPiece) throws {
            if isCancelled() { throw CancellationError() }
            if let failure = piece.failure { throw failure }
            try piece.delta.withUnsafeBytes { try deltas.descriptor.writeFully($0) }
            sizes[piece.group.number] += Int64(piece.delta.count)
            completed += Int64(piece.count)
            progress(completed, layout.targetSize)
        }
        let pieceSize =
            pieceSize
            ?? min(DeltaFormat.pieceSize, max(Self.smallestPiece, Int(layout.targetSize / Self.usualPieces)))
        let size = new.index.installedSize
        let slowLimit = size <= smallPack ? size : size / slowPart + alwaysSlow
        for (number, range) in layout.groups.enumerated() {
            let pieces = pieces(of: range.targets, atMost: pieceSize)
            let group = PatchGroupWork(
                number: number, bases: bases, group: range, pieces: pieces.count, threads: threads,
                isSlowAllowed: Int64(range.targets.upperBound) <= slowLimit)
            for piece in pieces {
                while pipeline.inFlight >= pipeline.capacity, let piece = pipeline.next(waiting: true) {
                    try finish(piece)
                }
                let places = layout.places(of: piece, in: number)
                pipeline.submit(
                    PatchPiece(
                        group: group, targets: targets, range: piece, behind: range.targets.lowerBound, places: places))
            }
        }
        while let piece = pipeline.next(waiting: true) { try finish(piece) }

        let table = Self.table(plan, sizes, from: old, to: new)
        let head = try table.encoded(PackListBase(of: old.index))
        try file.writeAll(head)
        try copy(deltas.descriptor, to: file)
        return Summary(
            size: Int64(head.count) + table.deltaSize,
            changedContents: plan.groups.reduce(0) { $0 + $1.targets.count }, changedBytes: layout.targetSize,
            archiveSize: new.index.archive.size)
    }

    /// Pieces of about the same size, so that no thread has a large last one to itself; words in them stand as they stand in all.
    static func pieces(of range: Range<Int>, atMost size: Int) -> [Range<Int>] {
        let count = (range.count + size - 1) / size
        guard count > 1 else { return [range] }
        let even = min(size, ((range.count + count - 1) / count + 15) & ~15)
        return stride(from: range.lowerBound, to: range.upperBound, by: even).map {
            $0..<min($0 + even, range.upperBound)
        }
    }

    private static func copy(_ source: FileDescriptor, to target: FileDescriptor) throws {
        _ = try source.seek(offset: 0, from: .start)
        try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 4096) { buffer in
            while true {
                let count = try source.readFully(into: buffer)
                if count == 0 { return }
                try target.writeFully(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
        }
    }
}
