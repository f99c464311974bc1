// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
package import AssetPacks
import Crypto
package import Kit
package import PackUpdates
package import System

/// Packs the tagged resources of an app: an ordinary asset pack for each set of tags.
package struct ResourceBuilder: Sendable {
    package let sources: TaggedSources
    package var compression = Compression.lzfse
    /// Of the uncompressed stream, in bytes; nil for what suits each pack's content.
    package var blockSize: Int?
    /// How many threads pack; 0 is one for each core.
    package var threads = 0
    /// Whether an index lies beside each archive.
    package var hasIndexes = true

    package init(_ sources: TaggedSources) { self.sources = sources }

    /// A pack that was written.
    package struct Output: Sendable {
        package let pack: ResourcePlan.Pack
        /// What is in the archive.
        package let contents: PackContents
        /// What became of its index; nil when it was to have none.
        package let index: Packager.IndexOutcome?
        /// When one of its files was changed last.
        package let modified: Timestamp
    }

    /// What follows the identifier in the name of a pack's archive.
    package static let archiveExtension = ".aar"

    /// The name of a pack's archive.
    package static func archiveName(packID: String) -> String { packID + archiveExtension }

    /// What the threads share.
    private struct State {
        var waiting: ArraySlice<Int>
        var outputs: [Int: Output] = [:]
        var completed: Int64 = 0
        var failure: (any Error)?
        var running = 0
    }

    /// Packs everything into a folder, as `<pack id>.aar` with its index beside it. Blocks; reads, compresses and writes on several threads.
    /// - Parameters:
    ///   - isCancelled: asked now and then; true ends packing with `CancellationError`.
    ///   - progress: called on the calling thread with the bytes packed so far, before compression, and their total.
    /// - Returns: in the plan's order.
    /// - Throws: `AssetPackError`; what was written until then stays.
    package func packAll(
        into folder: FilePath, isCancelled: @escaping @Sendable () -> Bool = { false },
        progress: @escaping (_ completed: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> [Output] {
        let packs = sources.plan.packs
        let total = packs.reduce(Int64(0)) { $0.addingReportingOverflow($1.selection.totalSize).partialValue }
        let threads = threads > 0 ? threads : Processors.count
        let schedule = PackingSchedule(sizes: packs.map(\.selection.totalSize), threads: threads)
        let monitor = Monitor(State(waiting: schedule.together[...]))

        for index in schedule.alone {
            let done = monitor.withLock { $0.completed }
            let output = try pack(packs[index], into: folder, isCancelled: isCancelled) {
                progress(done + $0, total)
            }
            monitor.withLock { state in
                state.outputs[index] = output
                state.completed += output.pack.selection.totalSize
            }
        }
        for _ in 0..<min(threads, schedule.together.count) {
            monitor.withLock { $0.running += 1 }
            do {
                try WorkerThread.start(name: "larder-packs") {
                    work(monitor, into: folder, isCancelled)
                    monitor.withLock { $0.running -= 1 }
                }
            } catch {
                // Without a thread to be had the work is done here, if none of the others does it.
                monitor.withLock { $0.running -= 1 }
            }
        }
        if monitor.withLock({ $0.running == 0 && !$0.waiting.isEmpty }) { work(monitor, into: folder, isCancelled) }
        follow(monitor) { progress($0, total) }
        let (outputs, failure) = monitor.withLock { ($0.outputs, $0.failure) }
        if let failure { throw failure }
        return packs.indices.compactMap { outputs[$0] }
    }

    /// Packs what waits until nothing does, or something failed.
    private func work(_ monitor: Monitor<State>, into folder: FilePath, _ isCancelled: @escaping @Sendable () -> Bool) {
        let workspace = ArchiveWorkspace()
        while let index = monitor.withLock({ $0.failure == nil ? $0.waiting.popFirst() : nil }) {
            do {
                let pack = sources.plan.packs[index]
                let output = try self.pack(pack, into: folder, workspace: workspace, isCancelled: isCancelled)
                monitor.withLock { state in
                    state.outputs[index] = output
                    state.completed += pack.selection.totalSize
                }
            } catch {
                monitor.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// Waits for the threads, and tells what they do.
    private func follow(_ monitor: Monitor<State>, progress: (Int64) -> Void) {
        var seen: Int64 = -1
        var isDone = false
        while !isDone {
            (seen, isDone) = monitor.wait { state -> (Int64, Bool)? in
                state.completed != seen || state.running == 0 ? (state.completed, state.running == 0) : nil
            }
            progress(seen)
        }
    }

    private func pack(
        _ pack: ResourcePlan.Pack, into folder: FilePath, workspace: ArchiveWorkspace? = nil,
        isCancelled: @escaping () -> Bool, progress: @escaping (Int64) -> Void = { _ in }
    ) throws -> Output {
        var packager = Packager(
            PackEvaluation(pack.manifest, selection: pack.selection, sourceDirectory: sources.sourceDirectory))
        packager.compression = compression
        packager.blockSize = blockSize
        packager.threads = threads
        let path = folder.appending(Self.archiveName(packID: pack.id))
        let (archiveSize, digest, index): (Int64, Digest, Packager.IndexOutcome?)
        if hasIndexes {
            let indexed = try packager.packageWithIndex(
                to: path, workspace: workspace, isCancelled: isCancelled, progress: { progress($0.completed) })
            (archiveSize, digest, index) = (indexed.result.archiveSize, indexed.digest, indexed.index)
        } else {
            var tree = TreeDigest()
            let result = try packager.package(
                to: path, workspace: workspace, isCancelled: isCancelled, progress: { progress($0.completed) },
                observer: { tree.update($0) })
            (archiveSize, digest, index) = (result.archiveSize, tree.finish(), nil)
        }
        let selection = pack.selection
        return Output(
            pack: pack,
            contents: PackContents(
                manifest: packager.evaluation.manifest, archiveSize: archiveSize, digest: digest.hex,
                installedSize: selection.totalSize, fileCount: selection.fileCount, linkCount: selection.linkCount,
                directoryCount: selection.items.count - selection.fileCount - selection.linkCount,
                warnings: selection.warnings.map(\.message)),
            index: index,
            modified: try modified(pack))
    }

    private func modified(_ pack: ResourcePlan.Pack) throws -> Timestamp {
        var newest = Timestamp(seconds: 0)
        for item in pack.selection.items {
            guard case .file(let source, _, _) = item.content else { continue }
            let location = sources.sourceDirectory.appending(source.string)
            do {
                newest = max(newest, try FileDescriptor.currentDirectory.status(at: location).modificationTime)
            } catch {
                throw AssetPackError(
                    .changedWhileReading,
                    "\"\(source)\" changed while it was being packed. Pack again when nothing writes to it.")
            }
        }
        return newest
    }
}
