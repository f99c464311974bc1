// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import ExtensionFoundation
internal import Kit
internal import PackNamespace
internal import System

/// The download manager's way to the device service, for callers that block: connected when it is first needed, and anew
/// when the service went away.
final class DownloadClient: Sendable {
    /// The app's bundle id, or why it is not known.
    let app: Result<String, any Error>
    /// What is locked while the app has exclusive control, so that a service which is restarted meanwhile gives it to nobody
    /// else; nil in extensions, which end with the service.
    let control: FilePath?
    private let open: @Sendable () throws -> DeviceConnection
    private let connection = Locked<DeviceConnection?>(nil)
    private let opening = Locked(())

    /// - Parameter open: opens a connection, starting the service if need be. Blocks.
    init(
        app: Result<String, any Error>, control: FilePath? = nil,
        open: @escaping @Sendable () throws -> DeviceConnection
    ) {
        self.app = app
        self.control = control
        self.open = open
    }

    /// This process's own: an extension speaks over its conversation, an app over the socket.
    static func current() -> DownloadClient {
        if ExtensionService.connection.withLock({ $0 }) != nil {
            let app = Environment.current["LARDER_BUNDLE_ID"] ?? ""
            return DownloadClient(app: .success(app)) {
                guard let connection = ExtensionService.connection.withLock({ $0 }), connection.isConnected else {
                    throw DeviceError(.disconnected, "The system has ended the extension's connection.")
                }
                return connection
            }
        }
        let identity = Result { try AppIdentity.current(managed: false) }
        let control = (try? identity.get()).map { AppRootLayout(root: $0.root).control }
        return DownloadClient(app: identity.map(\.bundleID), control: control) {
            try DeviceConnection.connectAndWait(for: identity.get())
        }
    }

    /// Asks and blocks for the answer; asks again when the service goes away before it comes.
    /// - Parameter onRepeat: called when the request is sent again: the service may have acted on it already.
    /// - Throws: what the app is to see.
    func ask<Request: DeviceRequest>(
        _ request: (_ app: String) -> Request, onRepeat: () -> Void = {}
    ) throws -> Request.Reply {
        let request = request(try app.get())
        do {
            return try RetryPolicy.service.repeatingAndWaiting(onRepeat: onRepeat) {
                try connected().sendAndWait(request)
            }
        } catch {
            throw downloadError(error)
        }
    }

    /// Blocks.
    func connected() throws -> DeviceConnection {
        if let connection = connection.withLock({ $0 }), connection.isConnected { return connection }
        // Callers that come while a connection is being made wait for that one.
        return try opening.withLock { _ in
            if let connection = connection.withLock({ $0 }), connection.isConnected { return connection }
            let made = try open()
            connection.withLock { $0 = made }
            return made
        }
    }
}
