// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
internal import System

/// An owned thread for work that blocks: it may wait as long as it likes, the cooperative pool never notices.
package final class WorkerThread: Sendable {
    private let done: Monitor<Bool>

    private init(done: Monitor<Bool>) { self.done = done }

    /// Starts a thread that runs `body` once and ends.
    /// - Parameters:
    ///   - name: shown by debuggers and `ps -L`; the kernel keeps the first 15 bytes.
    ///   - stackSize: in bytes; memory is taken only as far as it is used.
    /// - Throws: `Errno` when the system has no room for another thread.
    @discardableResult
    package static func start(
        name: String, stackSize: Int = 512 << 10, _ body: @escaping @Sendable () -> Void
    ) throws -> WorkerThread {
        let done = Monitor(false)
        let start = ThreadStart(name: name) {
            body()
            done.withLock { $0 = true }
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, max(stackSize, 64 << 10))
        var thread = pthread_t()
        let context = Unmanaged.passRetained(start)
        let result = pthread_create(&thread, &attributes, runThread, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw Errno(rawValue: result)
        }
        return WorkerThread(done: done)
    }

    /// Blocks the calling thread until the body has returned.
    package func join() { done.wait { $0 ? () : nil } }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// Takes back the reference that `start` gave away; the only place that does.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    clinux_name_thread(start.name)
    start.body()
    return nil
}
