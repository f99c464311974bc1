// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
import System

extension DeviceConnection {
    /// Connects to the service of `paths`. One that is just ending may still take the connection and drop it; then the
    /// next is connected to.
    /// - Parameters:
    ///   - client: what the client is, for the service's log: a program's name or an app's bundle id.
    ///   - startIfNeeded: start `larderd` when nobody answers. Clients that start at once start one service.
    /// - Throws: `DeviceError` with code `unavailable` when there is no service and none could be started.
    package static func connect(
        paths: LarderPaths, client: String, version: String = "", startIfNeeded: Bool = true
    ) async throws -> DeviceConnection {
        var retries = Retries()
        while true {
            do {
                return try await attempt(paths, client, version, startIfNeeded)
            } catch let error as DeviceError where error.code == .disconnected {
                guard let wait = retries.next(.service) else { throw error }
                try await Task.sleep(for: wait)
            }
        }
    }

    private static func attempt(
        _ paths: LarderPaths, _ client: String, _ version: String, _ startIfNeeded: Bool
    ) async throws -> DeviceConnection {
        let channel = try await offload { () throws -> FrameChannel in
            try self.channel(paths, startIfNeeded: startIfNeeded)
        }
        return try await DeviceConnection(channel: channel, client: client, version: version)
    }

    /// As `connect`, blocking the thread; no task needs to run meanwhile.
    /// - Throws: `DeviceError` with code `unavailable` when there is no service and none could be started.
    package static func connectAndWait(
        paths: LarderPaths, client: String, version: String = "", startIfNeeded: Bool = true
    ) throws -> DeviceConnection {
        try DeviceConnection(
            waitingOn: try channel(paths, startIfNeeded: startIfNeeded), client: client, version: version)
    }

    /// Blocks.
    private static func channel(_ paths: LarderPaths, startIfNeeded: Bool) throws -> FrameChannel {
        if let channel = try open(paths) { return channel }
        guard startIfNeeded else {
            throw DeviceError(
                .unavailable, "The device service is not running: nothing answers at \(paths.socket). Start larderd.")
        }
        return try ServiceStarter.start(paths)
    }

    /// nil when nobody listens.
    static func open(_ paths: LarderPaths) throws -> FrameChannel? {
        do {
            return FrameChannel(try UnixSocket.connect(paths.socket))
        } catch let error as KitError {
            if let cause = error.cause as? Errno, [.noSuchFileOrDirectory, .connectionRefused].contains(cause) {
                return nil
            }
            throw DeviceError(.unavailable, error.description)
        }
    }
}
