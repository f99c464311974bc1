// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Glibc
internal import Kit

/// libcurl's one call that other threads may make on a multi handle.
// Safe: the engine's mailbox hands it out under its lock and takes it back before the handle is cleaned up.
struct MultiWaker: @unchecked Sendable {
    fileprivate let multi: UnsafeMutableRawPointer

    func wake() { larder_curl_multi_wakeup(multi) }
}

/// What runs on the engine's thread: perform, read results, watch the clocks, poll; until there is nothing left to do.
struct TransferLoop: ~Copyable {
    private let engine: TransferEngine
    private let multi: UnsafeMutableRawPointer
    /// Transfers under way, by their easy handle.
    private var active: [UnsafeMutableRawPointer: ActiveTransfer] = [:]
    private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
    private let clock = SuspendingClock()
    /// Turns since readers were told what came. A turn brings a piece of 16 KiB on each connection that has one.
    private var unpublishedTurns = 0
    private static let mostUnpublishedTurns = 8
    private static let longTurn = Duration.seconds(1)
    /// In milliseconds.
    private static let pageWait: CInt = 20

    static func run(_ engine: TransferEngine) {
        blockSignals()
        do throws(HTTPClientError) {
            try CurlLibrary.load()
            guard let multi = larder_curl_multi_init() else {
                throw HTTPClientError(.failed, "libcurl has no memory to begin with.")
            }
            larder_curl_multi_limit_host(multi, engine.configuration.maximumHostConnections)
            var loop = TransferLoop(engine: engine, multi: multi)
            loop.run()
        } catch {
            engine.abandon(error)
        }
    }

    private init(engine: TransferEngine, multi: UnsafeMutableRawPointer) {
        self.engine = engine
        self.multi = multi
        engine.setWaker(MultiWaker(multi: multi))
    }

    deinit {
        larder_curl_multi_cleanup(multi)
        // Certificates and connections are gone; give their memory back rather than keep it for the next time.
        larder_curl_release_memory()
    }

    private mutating func run() {
        while true {
            if active.isEmpty {
                guard let commands = engine.awaitCommandsOrRetire() else { return }
                obey(commands)
            } else {
                obey(engine.takeCommands())
            }
            guard !active.isEmpty else { continue }
            let began = clock.now
            larder_curl_multi_perform(multi)
            collectFinished()
            // When a file's disk held this thread up, what the servers sent meanwhile is taken first.
            let wait = began.duration(to: clock.now) < Self.longTurn ? enforceDeadlines() : 0
            guard !active.isEmpty else { continue }
            let unpublished = active.values.filter(\.hasUnpublished)
            unpublishedTurns = unpublished.isEmpty ? 0 : unpublishedTurns + 1
            // While bytes are there already, readers are told of many pieces at once: each time wakes a thread. Files wait a moment
            // for the rest of a page.
            let patience = unpublished.allSatisfy(\.writesFile) ? Self.pageWait : 0
            let isBusy = larder_curl_multi_poll(multi, unpublished.isEmpty ? wait : min(wait, patience)) > 0
            guard !unpublished.isEmpty, !isBusy || unpublishedTurns >= Self.mostUnpublishedTurns else { continue }
            unpublishedTurns = 0
            for job in unpublished { job.publish(isLast: !isBusy) }
            // The look may have taken the sign that a command came.
            if !isBusy, !engine.hasCommands { larder_curl_multi_poll(multi, wait) }
        }
    }

    private mutating func obey(_ commands: [TransferEngine.Command]) {
        for command in commands {
            switch command {
            case .start(let transfer): start(transfer)
            case .pauseChanged(let transfer):
                if let handle = handles[ObjectIdentifier(transfer)] { active[handle]?.applyPause(now: clock.now) }
            case .rateChanged(let transfer):
                if let handle = handles[ObjectIdentifier(transfer)] { active[handle]?.applyRate(now: clock.now) }
            case .cancel(let transfer):
                if let handle = handles[ObjectIdentifier(transfer)] { remove(handle) }
            }
        }
    }

    private mutating func start(_ transfer: Transfer) {
        guard !transfer.hasEnded else { return }
        do {
            let job = try ActiveTransfer(transfer, engine.configuration, now: clock.now)
            active[job.handle] = job
            handles[ObjectIdentifier(transfer)] = job.handle
            larder_curl_multi_add_handle(multi, job.handle)
        } catch let error as HTTPClientError {
            transfer.end(.failure(error))
        } catch {
            transfer.end(.failure(HTTPClientError(.failed, "The request could not be set up.", cause: error)))
        }
    }

    private mutating func collectFinished() {
        var code = CURLE_OK
        while let handle = larder_curl_next_finished(multi, &code) {
            let job = active[handle]
            let result = job?.result(code)
            remove(handle)
            if let job, let result { job.end(result) }
        }
    }

    private mutating func remove(_ handle: UnsafeMutableRawPointer) {
        guard let job = active.removeValue(forKey: handle) else { return }
        handles[ObjectIdentifier(job.transfer)] = nil
        larder_curl_multi_remove_handle(multi, handle)
    }

    /// Ends what is overdue; the milliseconds until the next could be.
    private mutating func enforceDeadlines() -> CInt {
        let now = clock.now
        var nearest: Duration?
        for (handle, job) in active {
            job.followRate(now: now)
            if let resume = job.resumeAt {
                nearest = min(nearest ?? .seconds(1 << 20), now.duration(to: resume))
            }
            guard let deadline = job.deadline else { continue }
            let left = now.duration(to: deadline)
            if left <= .zero {
                remove(handle)
                job.end(.failure(job.lateness))
            } else if nearest.map({ left < $0 }) ?? true {
                nearest = left
            }
        }
        guard let nearest else { return .max }
        let (seconds, attoseconds) = nearest.components
        return CInt(clamping: min(seconds, 1 << 20) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Signals are other threads' business; a write to a connection that is gone must not end the process (SIGPIPE).
    private static func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
    }
}
