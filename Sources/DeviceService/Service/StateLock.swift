// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System

/// Keeps a second service away from a state folder; the kernel frees it when the first ends, however it ends.
struct StateLock: ~Copyable, Sendable {
    private let lock: FileLock

    /// Waits for a service that is just ending. Blocks.
    /// - Throws: `DeviceError` naming the process that has the folder.
    static func take(
        _ paths: LarderPaths, policy: RetryPolicy = .service,
        pause: (Duration) -> Void = { limit in _ = Monitor(()).wait(atMost: limit) { _ in Bool?.none } }
    ) throws -> StateLock {
        let lock = try acquire(paths.state.appending("lock"), paths, policy, pause)
        let text = Array("\(CurrentProcess.identifier)".utf8)
        let number = lock.descriptor.rawValue
        try systemCall { ftruncate(number, 0) }
        do {
            _ = try text.withUnsafeBytes { try lock.descriptor.write(toAbsoluteOffset: 0, $0) }
        } catch  where StoreError.isNoSpace(error) {
            // The name is for others to read; on a full disk the service has none.
        }
        return StateLock(lock)
    }

    /// Gives the folder to the next service, whoever still knows of this lock.
    func release() { lock.descriptor.unlock() }

    private init(_ lock: consuming FileLock) { self.lock = lock }

    private static func acquire(
        _ path: FilePath, _ paths: LarderPaths, _ policy: RetryPolicy, _ pause: (Duration) -> Void
    ) throws -> FileLock {
        var retries = Retries()
        while true {
            if let lock = try FileLock.tryAcquire(path, .exclusive) { return lock }
            // One that has the folder and takes no clients is on its way out: it closes its socket first. One that was
            // killed leaves lock and socket for a moment to the extension it was just starting, which inherited both and
            // closes them when it gets to its exec.
            if (try? UnixSocket.connect(paths.socket)) != nil, isAlive(holder(path)) { break }
            guard let wait = retries.next(policy) else { break }
            pause(wait)
        }
        let holder = holder(path)
        let name = holder.isEmpty ? "Another larderd" : "larderd with process id \(holder)"
        throw DeviceError(.refused, "\(name) already serves \(paths.state). Use that one, or stop it first.")
    }
    /// What the file says of the process that has the lock; empty when that is not known.
    private static func holder(_ path: FilePath) -> String {
        let bytes = try? File.read(path, limit: 64)
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A process nobody can name counts as alive.
    private static func isAlive(_ holder: String) -> Bool {
        guard let number = Int32(holder), number > 0 else { return true }
        return kill(number, 0) == 0 || errno == EPERM
    }
}
