// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

extension PatchMaker {
    /// Unpacks what is compared into files in a folder.
    /// - Parameter examined: what was unpacked before.
    static func unpack(
        _ layout: PatchLayout, _ examined: ExaminedContents, from old: PatchVersion, to new: PatchVersion,
        in folder: FilePath, _ isCancelled: () -> Bool
    ) throws -> (bases: PatchBases, targets: MappedContents) {
        let bases = try scratchFile(in: folder, "bases", layout.baseSize)
        let targets = try scratchFile(in: folder, "targets", layout.targetSize)
        // In the order of `PatchLayout`'s numbers.
        let files = [bases.descriptor, targets.descriptor]
        var (oldLayout, newLayout) = (layout.old, layout.new)
        if let contents = examined.contents {
            try oldLayout.take(examined.old, of: contents, to: files)
            try newLayout.take(examined.new, of: contents, to: files)
        }
        try unpack((old, oldLayout), (new, newLayout), to: files, isCancelled)
        return (
            try PatchBases(bases.descriptor, layout, from: old, to: new),
            try MappedContents(targets.descriptor, size: layout.targetSize)
        )
    }

    /// Unpacks both versions side by side: the digests of what is unpacked are the work of one thread for each.
    /// - Throws: as `PatchVersion.unpack`; of the first when both fail.
    static func unpack(
        _ first: (version: PatchVersion, layout: ContentLayout),
        _ second: (version: PatchVersion, layout: ContentLayout),
        to files: [FileDescriptor], _ isCancelled: () -> Bool
    ) throws {
        struct State {
            var isCancelled = false
            var result: Result<Void, any Error>?
            var hasFailed: Bool { if case .failure = result { true } else { false } }
        }
        let state = Monitor(State())
        // Where one has next to nothing, the other has all cores. Else each has one more than its part, since one of the two ends
        // first; more threads than that take memory, and wait for the digests.
        let most = min(Processors.count, mostThreads)
        func threads(_ layout: ContentLayout, _ other: ContentLayout) -> Int {
            layout.size / 4 > other.size ? most : other.size / 4 > layout.size ? 1 : min(most, most / 2 + 1)
        }
        let threads = (threads(first.layout, second.layout), threads(second.layout, first.layout))
        let (version, layout) = first
        let work: @Sendable () -> Void = {
            let result = Result {
                try version.unpack(layout, to: files, threads: threads.0) { state.peek(\.isCancelled) }
            }
            state.withLock { $0.result = result }
        }
        do {
            try WorkerThread.start(name: "larder-unpack", work)
        } catch {
            // The system has no room for a thread: one after the other then.
            work()
        }
        let result = Result {
            try second.version.unpack(second.layout, to: files, threads: threads.1) {
                isCancelled() || state.peek(\.hasFailed)
            }
        }
        if case .failure = result { state.withLock { $0.isCancelled = true } }
        while true {
            if let first = state.wait(atMost: Self.cancellationPause, { $0.result }) {
                // One that was only told to stop has nothing to say.
                if case .failure(let error) = first, !(error is CancellationError) { throw error }
                try result.get()
                return try first.get()
            }
            if isCancelled() { state.withLock { $0.isCancelled = true } }
        }
    }

    /// A file that never gets a name, so that a maker that is killed leaves nothing behind.
    static func scratchFile(in folder: FilePath, _ name: String, _ size: Int64 = 0) throws -> NewFile {
        let number = UInt64.random(in: 0...UInt64.max)
        let file = try NewFile(at: folder.appending(".larder-patch-\(name)-\(number)"), permissions: .ownerReadWrite)
        if size > 0 { try file.descriptor.resize(to: size) }
        return file
    }
}
