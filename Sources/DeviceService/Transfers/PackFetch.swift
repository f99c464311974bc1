// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import HTTP
import Kit
import PackNamespace
import System

/// One attempt to make a pack local: asks the server, feeds the pipeline, commits. It runs on a thread of its own and can
/// be stopped from anywhere; then it ends at its last checkpoint.
final class PackFetch: Sendable {
    struct Progress: Hashable, Sendable {
        /// Bytes that came over the network.
        var downloaded: Int64
        /// Bytes that will have when all is there.
        var expected: Int64
        /// Bytes of files that are unpacked.
        var unpacked: Int64
        /// All bytes are here and being checked and committed.
        var isFinishing = false
    }

    /// What is still to come.
    enum Rest {
        /// All of the archive but the bytes that are here, of which so many of files are unpacked.
        case archive(fetched: Int64, written: Int64)
        case update(SpacePlanner.Update)
    }

    /// Makes room for what is to come.
    typealias RoomCheck = @Sendable (Rest) throws -> Void

    let download: PackDownload
    let attempt: TransferAttempt
    let generations: AppGenerations
    let options: PackPipeline.Options
    let permitsHost: HostRule?
    let makeRoom: RoomCheck?
    let report: @Sendable (Progress) -> Void
    /// How the pack came; nil until it is local.
    let tally = Locked<PackArrival?>(nil)

    /// - Parameter report: called from the fetching thread, at most ten times a second.
    init(
        _ download: PackDownload, generations: AppGenerations, attempt: TransferAttempt, options: PackPipeline.Options,
        permitsHost: HostRule? = nil, makeRoom: RoomCheck? = nil,
        report: @escaping @Sendable (Progress) -> Void
    ) {
        self.download = download
        self.generations = generations
        self.attempt = attempt
        self.options = options
        self.permitsHost = permitsHost
        self.makeRoom = makeRoom
        self.report = report
    }

    /// Fetches and commits. Blocks: for an owned thread.
    /// - Returns: nil when the pack is local now.
    func run() -> FetchFailure? {
        var brought = false
        do {
            if try commitSealed() { return nil }
            let (isDone, before) = try update(&brought)
            if isDone { return nil }
            var spent = before
            var mayRestart = true
            while true {
                let pipeline = try makePipeline()
                let resumed = pipeline.position > 0
                do {
                    if pipeline.position < download.downloadSize || download.downloadSize == 0 {
                        try makeRoom?(.archive(fetched: pipeline.position, written: pipeline.unpacked))
                        spent.requests += 1
                        do {
                            try transfer(pipeline) { brought = true }
                        } catch  where attempt.isStopped || (error as? HTTPClientError)?.isTransient == true {
                            // Should this fail, less is kept, and whatever is wrong shows again when it goes on.
                            try? pipeline.keep()
                            throw error
                        }
                    }
                    try attempt.checkStop()
                    report(progress(pipeline, isFinishing: true))
                    _ = try pipeline.finish(directory: newDirectory())
                    try generations.commit(pipeline.staged)
                    tally.withLock { $0 = pipeline.tally(after: spent) }
                    return nil
                } catch  where mayRestart && Self.isWorthAnotherTry(error, resumed: resumed) && !attempt.isStopped {
                    // Once more, from the beginning: what was staged may be of other bytes than the server has now.
                    mayRestart = false
                    try pipeline.staged.remove()
                }
            }
        } catch {
            var failure = FetchFailure(error, pack: download.id, brought: brought)
            if attempt.isStopped { failure.outcome = .stopped }
            return failure
        }
    }

    /// Finishes a commit that a full disk or a crash had kept from its end. False when there is none of this download.
    private func commitSealed() throws -> Bool {
        let staged = StagedPack(layout: generations.layout, id: download.id)
        guard staged.isSealed else { return false }
        guard (try? StagedPack.read(StagingIdentity.self, staged.identity)) == download.identity else {
            try staged.remove()
            return false
        }
        try generations.commit(staged)
        return true
    }

    private func progress(_ pipeline: PackPipeline, isFinishing: Bool = false) -> Progress {
        Progress(
            downloaded: pipeline.position, expected: download.downloadSize, unpacked: pipeline.unpacked,
            isFinishing: isFinishing)
    }

    /// Whether a download from the beginning may do better: when the range was refused, and after a resumed one
    /// whenever the bytes of two archives may have been mixed.
    private static func isWorthAnotherTry(_ error: any Error, resumed: Bool) -> Bool {
        if let error = error as? HTTPClientError {
            return error.status == 416 || (resumed && error.code == .badResponse)
        }
        let code = FetchFailure(error, pack: "", brought: false).error.code
        return resumed && [.badArchive, .wrongDigest, .wrongSize].contains(code)
    }

    private func makePipeline() throws -> PackPipeline {
        let staged = StagedPack(layout: generations.layout, id: download.id)
        let local = try generations.localPacks().first { $0.id == download.id }
        let pipeline = try PackPipeline(
            download, staged: staged, previous: local.map { generations.layout.root.appending($0.directory) },
            options: options)
        // With neither a validator nor a digest nobody could tell that the bytes had changed.
        if pipeline.position > 0, pipeline.validator == nil, download.digest == nil { try pipeline.restart() }
        return pipeline
    }

    func newDirectory() -> String {
        let name = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        return "packs/\(download.id)/\(download.version)-\(String(repeating: "0", count: 8 - name.utf8.count))\(name)"
    }

    private func transfer(_ pipeline: PackPipeline, _ gotBytes: () -> Void) throws {
        var request = HTTPRequest(
            url: download.url, rangeStart: pipeline.position > 0 ? pipeline.position : nil,
            ifRange: pipeline.validator, expectedLength: download.downloadSize)
        request.permitsHost = permitsHost
        try attempt.fetch(request) { try take($0, pipeline, gotBytes) }
    }

    private func take(_ transfer: HTTPDownload, _ pipeline: PackPipeline, _ gotBytes: () -> Void) throws {
        let head = try transfer.waitForHead()
        if head.startOffset != pipeline.position { try pipeline.restart() }
        guard head.startOffset == pipeline.position else {
            throw StoreError(.server, "The server of the pack \(download.id) sent another part than was asked for.")
        }
        pipeline.setValidator(head.resumeValidator)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TransferAttempt.bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        var lastReport = ContinuousClock.now
        var reported = pipeline.position
        while true {
            // Whoever watches learns of all bytes that are here also when no more come.
            let count =
                reported == pipeline.position
                ? try transfer.read(into: buffer)
                : try transfer.read(into: buffer, atMost: TransferAttempt.reportInterval)
            if count == 0 { break }
            if let count {
                gotBytes()
                try pipeline.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
            let now = ContinuousClock.now
            if now - lastReport >= TransferAttempt.reportInterval {
                lastReport = now
                reported = pipeline.position
                attempt.note(transfer, total: pipeline.position)
                report(progress(pipeline))
            }
        }
    }
}
