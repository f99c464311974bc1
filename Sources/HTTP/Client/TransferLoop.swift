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
    private let turn = LoopTurn()
    /// Turns that brought bytes, since the last that did not.
    private var busyTurns = 0
    /// Of these one in so many looks at the clocks too. A turn brings a piece of 16 KiB on each connection that has one.
    private static let mostBusyTurns = 16
    private static let longTurn = Duration.seconds(1)
    /// In milliseconds: what a file waits for more to be written with, when nothing comes.
    private static let quietWait: CInt = 20
    /// The same when something comes now and then.
    private static let longestWait = Duration.milliseconds(50)

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
            guard let commands = active.isEmpty ? engine.awaitCommandsOrRetire() : engine.takeCommands() else { return }
            turn.now = clock.now
            turn.broughtBytes = false
            obey(commands)
            guard !active.isEmpty else { continue }
            larder_curl_multi_perform(multi)
            collectFinished()
            busyTurns = turn.broughtBytes ? busyTurns + 1 : 0
            // More may lie there already: to look is cheaper than to wait.
            if busyTurns % Self.mostBusyTurns == 0 { lookAround() }
        }
    }

    /// Does what is due by the clocks, and waits if the turn brought nothing.
    private mutating func lookAround() {
        // When a file's disk held this thread up, what the servers sent meanwhile is taken first.
        let began = turn.now
        turn.now = clock.now
        let wait = began.duration(to: turn.now) < Self.longTurn ? enforceDeadlines() : 0
        if turn.broughtBytes {
            for job in active.values { job.publish(after: Self.longestWait) }
        } else if !active.isEmpty {
            for job in active.values where !job.writesFile { job.publish() }
            // What is left goes to files, which wait a moment for more.
            let gathers = active.values.contains(where: \.hasUnpublished)
            let isQuiet = larder_curl_multi_poll(multi, gathers ? min(wait, Self.quietWait) : wait) == 0
            for job in active.values { job.publish(after: isQuiet ? .zero : Self.longestWait) }
        }
    }

    private mutating func obey(_ commands: [TransferEngine.Command]) {
        for command in commands {
            switch command {
            case .start(let transfer): start(transfer)
            case .pauseChanged(let transfer):
                if let handle = handles[ObjectIdentifier(transfer)] { active[handle]?.applyPause() }
            case .rateChanged(let transfer):
                if let handle = handles[ObjectIdentifier(transfer)] { active[handle]?.applyRate() }
            case .cancel(let transfer):
                if let handle = handles[ObjectIdentifier(transfer)] { remove(handle) }
            }
        }
    }

    private mutating func start(_ transfer: Transfer) {
        guard !transfer.hasEnded else { return }
        do {
            let job = try ActiveTransfer(transfer, engine.configuration, turn)
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
        var nearest: Duration?
        for (handle, job) in active {
            job.followRate()
            if let resume = job.resumeAt {
                nearest = min(nearest ?? .seconds(1 << 20), turn.now.duration(to: resume))
            }
            guard let deadline = job.deadline else { continue }
            let left = turn.now.duration(to: deadline)
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
