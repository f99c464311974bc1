// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP
import Kit
import PackNamespace
import PackUpdates
import System

/// One attempt to make a pack local out of what is: asks for the index, or the list that a patch has in its place, then for as little
/// else as will do. It runs within the attempt of a `PackFetch`, which fetches the archive whole when this does not work out.
///
/// What is done next is planned anew after each step, from what is there by then and what was learnt of the server.
final class UpdateFetch {
    /// The update cannot be done this way; the archive is fetched whole. The end of a sentence.
    struct Unsuitable: Error {
        let why: String

        init(why: String) { self.why = why.clause }

        static let noRanges = "its server gives no ranges, or another file by now"
    }

    /// What is missing comes in no way that goes without the index.
    private struct IndexNeeded: Error {}

    /// The pack's version that is local.
    struct Own {
        var version: Int
        var folder: FilePath

        /// The pack's local version, with a list of its contents; nil when there is none. Blocks.
        init?(_ pack: String, _ generations: AppGenerations, _ attempt: TransferAttempt) throws {
            let local = try generations.withCurrentTable { table -> (version: Int, files: [String], path: String)? in
                guard let table, let index = table.packIndex(id: pack),
                    let files = AppGenerations.files(of: pack, table)
                else { return nil }
                return (Int(clamping: table.pack(at: index).version), files.files, files.directory)
            }
            guard let local else { return nil }
            (version, folder) = (local.version, generations.layout.root.appending(local.path))
            do {
                try LocalVersions.makeList(of: folder, paths: local.files) { try attempt.checkStop() }
            } catch is Errno {
                // A version that cannot be read, or a list that cannot be written, only has less to give.
            }
        }
    }

    let download: PackDownload
    let staged: StagedPack
    let attempt: TransferAttempt
    let options: PackPipeline.Options
    let permitsHost: HostRule?
    private let makeRoom: PackFetch.RoomCheck?
    private let report: (PackFetch.Progress) -> Void
    private let log: Logger
    let own: Own?
    private var lastReport = ContinuousClock.now
    /// Bytes of files that are to come over the network, as far as that is known.
    private var expected: Int64 = 0
    private(set) var brought = false
    /// What was moved so far, also by an update that does not work out.
    var spent = PackArrival()
    /// The index or the list, to be kept once the folder is made: an update that begins empties it first.
    var toKeep: (name: String, bytes: [UInt8])?
    /// How the server is asked: less once it has shown that it does not give as much.
    var ranges = UpdateFacts.Ranges.expected
    /// The patches that start from what is here, and their starts.
    var patches: [ListedPatchState]
    var starts: PatchStarts
    /// Who would have to fetch more bytes otherwise looks at a patch's table.
    private static let worthALook: Int64 = 256 << 10
    /// Each step brings something, or rules something out; more of them would be a mistake.
    private static let mostSteps = 256

    /// Blocks.
    /// - Parameter own: the pack's local version.
    init(
        _ download: PackDownload, staged: StagedPack, own: Own?, attempt: TransferAttempt,
        options: PackPipeline.Options, permitsHost: HostRule?, makeRoom: PackFetch.RoomCheck?, log: Logger,
        report: @escaping (PackFetch.Progress) -> Void
    ) {
        self.download = download
        self.staged = staged
        self.own = own
        self.attempt = attempt
        self.options = options
        self.permitsHost = permitsHost
        self.makeRoom = makeRoom
        self.log = log
        self.report = report
        let versions = LocalVersions(appRoot: staged.layout.root)
        patches = versions.patches(of: download, to: own)
        starts = PatchStarts(versions, to: own)
    }

    /// Stages the new version, checked and flushed. Blocks: for an owned thread.
    /// - Returns: what it took.
    /// - Throws: `Unsuitable` when the archive is to be fetched whole; `HTTPClientError`, `StoreError`, `Errno`.
    func run(directory: String) throws -> PackArrival {
        guard let (list, digest) = try fetchList() else {
            let (index, digest) = try fetchIndex()
            return try stage(index, digest, directory)
        }
        do {
            return try stage(list, digest, directory)
        } catch is IndexNeeded {
            log.info("An update needs the whole index", ["pack": download.id])
            let staged = spent
            let (index, digest) = try fetchIndex()
            return try stage(index, digest, directory, after: staged)
        }
    }

    /// - Parameter earlier: what is counted already in the checkpoint that this goes on from.
    /// - Throws: as `run`; `IndexNeeded` when the index is only a list.
    private func stage(
        _ index: PackIndex, _ digest: Digest, _ directory: String, after earlier: PackArrival = PackArrival()
    ) throws -> PackArrival {
        let pipeline = try UpdatePipeline(
            download, staged: staged, index: index, digest: digest, options: options)
        // What a patch gave otherwise before is not asked of it again.
        for number in patches.indices { patches[number].fail(pipeline.dropped) }
        let counted = pipeline.isResumed ? earlier : PackArrival()
        pipeline.tally.moved += spent.moved - counted.moved
        pipeline.tally.requests += spent.requests - counted.requests
        for note in spent.notes where !pipeline.tally.notes.contains(note) { pipeline.tally.notes.append(note) }
        defer { spent = pipeline.tally }
        do {
            try bring(pipeline)
            try attempt.checkStop()
            report(progress(pipeline, isFinishing: true))
            _ = try pipeline.finish(directory: directory)
            return pipeline.tally
        } catch let error as HTTPClientError where attempt.isStopped || error.isTransient {
            // Should this fail, less is kept, and whatever is wrong shows again when it goes on.
            try? pipeline.checkpoint()
            throw error
        } catch let error as IndexNeeded {
            try pipeline.checkpoint()
            throw error
        }
    }

    // MARK: - Steps

    private func bring(_ pipeline: UpdatePipeline) throws {
        if let toKeep {
            try AtomicFile.write(toKeep.bytes, to: staged.directory.appending(toKeep.name), durable: false)
        }
        var sources = try findSources(pipeline)
        try resumePatch(pipeline)
        for _ in 0..<Self.mostSteps where !pipeline.isDone {
            try attempt.checkStop()
            try step(pipeline, &sources)
        }
        guard pipeline.isDone else { throw Unsuitable(why: "its update does not come to an end") }
        guard pipeline.isAsListed else {
            note("its patch gave other files than its list means, so that the index is fetched", pipeline)
            throw IndexNeeded()
        }
        try pipeline.checkpoint()
    }

    private func step(_ pipeline: UpdatePipeline, _ sources: inout UpdateSources) throws {
        let plan = planner(pipeline, sources).plan()
        if plan.patch == nil, plan.bytesToFetch > Self.worthALook, let number = patches.firstIndex(where: \.isUnknown) {
            // As a whole it does not pay; what of it is needed may.
            try look(at: number, pipeline, sources)
            return
        }
        if !sources.hasChunks, plan.actions == nil || !plan.blocks.isEmpty {
            // Blocks are worth their price once it is known what of the old files they can leave out.
            if try fetchChunks(plan, pipeline) { sources = try findSources(pipeline) }
            try sources.addChunks(for: pipeline.index, of: own, finding: { try find($0) { $0 } }) { [attempt] in
                try attempt.checkStop()
            }
            return
        }
        guard let actions = plan.actions else {
            guard pipeline.index.archive.hasBlocks else { throw IndexNeeded() }
            throw Unsuitable(
                why: pipeline.tally.notes.last ?? "fetching its archive whole takes less than its parts")
        }
        expected = pipeline.tally.moved + plan.bytesToFetch
        try makeRoom?(
            .update(
                SpacePlanner.Update(
                    toFetch: plan.bytesToFetch, toWrite: plan.bytesToWrite, changedFiles: plan.changedContents ?? 0)))
        if try link(actions, pipeline, &sources) { return }
        if let use = plan.patch {
            try bring(use, pipeline, sources)
            return
        }
        let first = actions.firstIndex { if case .rebuild = $0 { true } else { false } }
        if let current = pipeline.current, current != first {
            try pipeline.abandon()
            return
        }
        let resumed = pipeline.current
        let failed = try bring(plan, actions, pipeline, sources)
        guard !failed.isEmpty else { return }
        // What was begun in another way, or copied from local files, may have been wrong.
        guard failed.contains(where: { $0 == resumed }) || sources.contents.hasAnyChunk else {
            throw Unsuitable(why: "its archive does not hold what its index says")
        }
        note("local files were damaged", pipeline)
        sources.removeChunks()
    }

    /// Says what is known to a planner.
    func planner(_ pipeline: UpdatePipeline, _ sources: UpdateSources) -> UpdatePlanner {
        UpdatePlanner(
            target: pipeline.index, local: sources.contents,
            facts: UpdateFacts(
                ranges: ranges, patches: patches.map { $0.facts(position: $0.position(pipeline)) },
                progress: pipeline.progress))
    }

    func note(_ what: String, _ pipeline: UpdatePipeline) { note(what, in: &pipeline.tally) }

    func note(_ what: String, in tally: inout PackArrival) {
        let what = what.clause
        if !tally.notes.contains(what) { tally.notes.append(what) }
        log.notice("An update goes another way", ["pack": download.id, "because": what])
    }

    // MARK: - Local files

    private func findSources(_ pipeline: UpdatePipeline) throws -> UpdateSources {
        let index = pipeline.index
        var sources = UpdateSources(for: index)
        var wanted: [Digest: Int64] = [:]
        for (number, content) in index.contents.enumerated() where !pipeline.isComplete(number) {
            wanted[content.digest] = content.size
        }
        sources.add(try find(Set(wanted.keys)) { $0 }.filter { wanted[$0.key] == Int64(clamping: $0.value.size) })
        return sources
    }

    /// Where contents are on the device, the pack's own version first.
    func find<Key>(_ wanted: Set<Key>, by key: (Digest) -> Key) throws -> [Key: LocalFile] {
        try LocalVersions(appRoot: staged.layout.root).find(wanted, first: own.map { [$0.folder] } ?? [], by: key) {
            [attempt] in try attempt.checkStop()
        }
    }

    /// Links what is there whole.
    /// - Returns: whether there was anything to link.
    private func link(
        _ actions: [UpdatePlan.Action], _ pipeline: UpdatePipeline, _ sources: inout UpdateSources
    ) throws -> Bool {
        var local: [Int: LocalFile] = [:]
        for (content, action) in actions.enumerated() {
            if case .link(let source) = action { local[content] = sources.file(source) }
        }
        guard !local.isEmpty else { return false }
        let wrong = try pipeline.link(local) { [attempt] in try attempt.checkStop() }
        for content in wrong { sources.remove(pipeline.index.contents[content].digest) }
        try pipeline.checkpoint()
        report(progress(pipeline))
        return true
    }

    // MARK: - Reading

    /// Reads what comes.
    /// - Parameters:
    ///   - settle: hands over what was made of what came, so that it is kept, when the server falls silent.
    ///   - body: takes it, and says whether more is wanted.
    func read(
        _ transfer: HTTPDownload, counting pipeline: UpdatePipeline? = nil, settle: () throws -> Void = {},
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TransferAttempt.bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            guard let count = try transfer.read(into: buffer, atMost: CheckpointPace.longestPause) else {
                try settle()
                try pipeline?.checkpointIfDue()
                continue
            }
            if count == 0 { return }
            brought = true
            if let pipeline { pipeline.tally.moved += Int64(count) } else { spent.moved += Int64(count) }
            guard try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])) else { return }
            guard let pipeline else { continue }
            let now = ContinuousClock.now
            if now - lastReport >= TransferAttempt.reportInterval {
                lastReport = now
                attempt.note(transfer, total: pipeline.tally.moved)
                report(progress(pipeline))
            }
        }
    }

    private func progress(_ pipeline: UpdatePipeline, isFinishing: Bool = false) -> PackFetch.Progress {
        PackFetch.Progress(
            downloaded: pipeline.tally.moved, expected: max(expected, pipeline.tally.moved),
            unpacked: pipeline.unpacked, isFinishing: isFinishing)
    }
}
