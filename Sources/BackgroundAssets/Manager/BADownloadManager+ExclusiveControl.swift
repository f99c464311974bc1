// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation
internal import Kit
internal import System

// Mutual exclusion between app and extension; both must use it. The service gives control back when its holder dies.
extension BADownloadManager {
    /// Waits for exclusive control, blocking the thread, and holds it while the handler runs.
    /// - Parameter performHandler: told whether control is had, and if not, why.
    public func withExclusiveControl(_ performHandler: (_ acquiredLock: Bool, _ error: (any Error)?) -> Void) {
        hold(patience: nil, performHandler)
    }

    /// As ``withExclusiveControl(_:)-(_)``, but waits no longer than until a date; with the present one it does not wait.
    public func withExclusiveControl(
        beforeDate date: Date, perform performHandler: (_ acquiredLock: Bool, _ error: (any Error)?) -> Void
    ) {
        hold(patience: Self.patience(until: date), performHandler)
    }

    /// Waits for exclusive control and holds it while the body runs.
    /// - Throws: what the body throws; ``BackgroundAssetsError`` or ``BAError`` when control is not to be had.
    public func withExclusiveControl<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try await hold(isolation: isolation, patience: nil, body)
    }

    /// Waits for exclusive control until a date, and holds it while the body runs.
    /// - Throws: what the body throws; ``BackgroundAssetsError`` or ``BAError`` when control is not to be had in time.
    public func withExclusiveControl<Result>(
        before date: Date, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try await hold(isolation: isolation, patience: Self.patience(until: date), body)
    }

    private static func patience(until date: Date) -> Int64 {
        let seconds = date.timeIntervalSinceNow
        return seconds > 0 ? Int64(min(seconds * 1000, 1e15).rounded(.up)) : 0
    }

    private func hold(patience: Int64?, _ performHandler: (Bool, (any Error)?) -> Void) {
        do {
            let request = ExclusiveControlRequest(app: try client.app.get(), patience: patience)
            let hold = try client.connected().holdAndWait(request)
            var lock: ControlHold? = ControlHold(client.control)
            performHandler(true, nil)
            withExtendedLifetime(lock) {}
            // Before the service gives control to the next.
            lock = nil
            withExtendedLifetime(hold) {}
        } catch {
            performHandler(false, downloadError(error))
        }
    }

    private func hold<Result>(
        isolation: isolated (any Actor)?, patience: Int64?, _ body: () async throws -> Result
    ) async throws -> Result {
        let stream: AsyncThrowingStream<EmptyReply, any Error>
        do {
            let request = ExclusiveControlRequest(app: try client.app.get(), patience: patience)
            stream = try await offload { [client] in try client.connected() }.stream(request)
            var events = stream.makeAsyncIterator()
            guard try await events.next(isolation: isolation) != nil else {
                throw DeviceError(.disconnected, "The device service has ended.")
            }
        } catch {
            throw downloadError(error)
        }
        var lock = try? await offload { [client] in ControlHold(client.control) }
        defer {
            withExtendedLifetime(lock) {}
            // Before the service gives control to the next.
            lock = nil
            withExtendedLifetime(stream) {}
        }
        return try await body()
    }
}

/// Says on the disk that this process has exclusive control, for a service that comes after the one that gave it. What keeps
/// it from that is passed over.
private final class ControlHold: Sendable {
    private let lock: FileLock?

    /// Blocks while a process that had control from an earlier service is at it.
    init(_ file: FilePath?) {
        guard let file else {
            lock = nil
            return
        }
        lock = try? FileLock.acquire(file, .exclusive)
    }
}
