// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// A running extension and the conversation with it. Blocks; for an owned thread.
///
/// A thread beside the conversation waits for the extension's time to be over: it warns the extension, and in the end kills it,
/// which ends whatever the conversation waits for.
final class ExtensionSession: Sendable {
    /// Between two looks at what the extension has written.
    private static let boundsInterval = Duration.milliseconds(250)

    private let child: ChildProcess
    /// The extension's own place, when it is confined to it.
    private let scratch: FilePath?
    private let channel: FrameChannel
    private let errors: CapturedText
    private let watch: Monitor<ExtensionWatch>
    private let bounds: [FolderBound]
    private let onRequest: (@Sendable ([UInt8], ExtensionSession) -> Void)?
    private let nextID = Locked<Int64>(1)

    /// Starts the extension.
    /// - Parameters:
    ///   - limit: the time it may use.
    ///   - notice: how long before its end it is told.
    ///   - bounds: of the folders that it writes.
    ///   - onRequest: takes what the extension asks while it answers; returns soon, and answers by `send`.
    /// - Throws: `DeviceError`, `KitError`, `Errno`
    init(
        _ subject: ExtensionSubject, sandbox: ExtensionSandbox, limit: Duration, notice: Duration,
        bounds: [FolderBound] = [],
        onRequest: (@Sendable ([UInt8], ExtensionSession) -> Void)? = nil
    ) throws {
        self.onRequest = onRequest
        self.bounds = bounds
        let (own, theirs) = try UnixSocket.pair()
        channel = FrameChannel(OwnedDescriptor(own))
        let given = OwnedDescriptor(theirs)
        scratch = sandbox.mode == .required ? subject.scratch : nil
        errors = try CapturedText(limit: 16 << 10)
        watch = Monitor(ExtensionWatch(meter: RuntimeMeter(limit: limit, notice: notice)))
        // Where one of the folders is unbounded, so is a file in it.
        let isBounded = bounds.contains { $0.folder == .scratch } && bounds.contains { $0.folder == .group }
        child = try sandbox.start(
            subject, channel: given.borrowed, errors: errors.descriptor,
            largestFile: isBounded ? bounds.map(\.limit).max() : nil)
        try WorkerThread.start(name: "larder-extension") { [weak self] in self?.keepTime() }
        if !bounds.isEmpty { try WorkerThread.start(name: "larder-quota") { [weak self] in self?.keepBounds() } }
    }

    /// Asks, and waits for the answer; the time until then is the extension's.
    /// - Throws: `DeviceError` when the extension leaves, refuses, or answers something else; `Errno`, `KitError`.
    func call<Request: DeviceRequest>(_ request: Request) throws -> Request.Reply {
        let id = nextID.withLock { id in
            defer { id += 1 }
            return id
        }
        count(from: true)
        defer { count(from: false) }
        try channel.send(try WireCodec.request(id, request))
        while true {
            guard let message = try channel.receive() else {
                throw DeviceError(.disconnected, "it ended without an answer")
            }
            let header = try WireCodec.header(message)
            if header.method != nil || header.cancel != nil {
                try take(message, header)
                continue
            }
            if let error = header.error { throw error }
            guard header.id == id else {
                throw DeviceError(
                    .badMessage, "it answered question \(header.id.map(String.init) ?? "none"), not \(id)")
            }
            return try WireCodec.result(Request.Reply.self, message)
        }
    }

    /// Sends an answer to what the extension asked. Any thread may.
    /// - Throws: `Errno`, `KitError`
    func send(_ message: [UInt8]) throws { try channel.send(message) }

    /// As `send`, without waiting for an extension that does not read; false leaves a rest to `flush`.
    func offer(_ message: [UInt8]) throws -> Bool { try channel.offer(message) }
    func flush() throws { try channel.flush() }

    /// The extension asks in its turn.
    private func take(_ message: [UInt8], _ header: WireHeader) throws {
        if let onRequest { return onRequest(message, self) }
        guard let id = header.id else { throw DeviceError(.badMessage, "it asked without an id") }
        try send(try WireCodec.failure(id, DeviceError(.unknownMethod, "The service takes no requests here.")))
    }

    /// Run time used so far.
    var spent: Duration { watch.peek { $0.meter.spent(.now) } }

    private func count(from begin: Bool) {
        watch.withLock { watch in
            if begin { watch.meter.begin(.now) } else { watch.meter.end(.now) }
        }
    }

    private func keepTime() {
        while let step = watch.nextStep() {
            if step == .warn {
                // It may not be reading; nobody waits for it.
                if let notice = try? WireCodec.request(0, ExtensionWillTerminateNotice()) {
                    try? channel.send(notice)
                }
                continue
            }
            watch.withLock { $0.wasEnded = true }
            child.kill()
            // A sandbox that was killed by somebody else may have left a child that holds the conversation open.
            if let scratch { SandboxLeftovers.end(of: scratch) }
            return
        }
    }

    /// Looks after what the extension writes until it has ended.
    private func keepBounds() {
        while watch.wait(atMost: Self.boundsInterval, { $0.isOver ? () : nil }) == nil {
            guard let bound = bounds.first(where: { $0.isExceeded() }) else { continue }
            watch.withLock { $0.overfilled = bound }
            return child.kill()
        }
    }

    /// Ends the conversation: says so, gives the extension `grace` to leave, and kills what is left of it. Nothing of
    /// it runs any more when this returns.
    /// - Parameter error: what the conversation failed with; nil when it went well.
    /// - Returns: how the extension came to a bad end; nil when it did not. `late` stands for any limit.
    func finish(after error: (any Error)?, grace: Duration) -> ExtensionEnd? {
        channel.finishSending()
        // One that has gone has an exit code to tell.
        let code = (try? child.wait(atMost: error == nil ? grace : .milliseconds(200))) ?? nil
        let (wasEnded, limit) = watch.withLock { watch in
            watch.isOver = true
            return (watch.wasEnded, watch.meter.limit)
        }
        if code == nil {
            child.kill()
            _ = try? child.wait()
        }
        // bubblewrap's end takes its whole process namespace along, unless it was killed while it made that: a moment later
        // nobody holds the other end.
        if let scratch {
            while !channel.drain(atMost: .milliseconds(500)) { SandboxLeftovers.end(of: scratch) }
        }
        // What it wrote at the last moment counts, too.
        if let bound = watch.peek({ $0.overfilled }) ?? bounds.first(where: { $0.isExceeded() }) {
            return .overfilled(bound.folder, limit: bound.limit)
        }
        if wasEnded { return .late(limit) }
        return error.map { ExtensionEnd(exitCode: code, said: errors.text, error: $0) }
    }

    /// What it wrote to its standard error, from the start.
    var said: String { errors.text }
}
