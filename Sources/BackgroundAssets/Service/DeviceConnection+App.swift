// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
internal import Kit
internal import System

extension DeviceConnection {
    /// Opens an app's connection, and starts the service of its user if there is none.
    /// - Throws: `DeviceError` when no service answers and none can be started.
    package static func connect(for app: AppIdentity) async throws -> DeviceConnection {
        try await connect(paths: paths(app), client: app.bundleID, startIfNeeded: isOwn(app))
    }

    /// As above, blocking the thread.
    package static func connectAndWait(for app: AppIdentity) throws -> DeviceConnection {
        try connectAndWait(paths: paths(app), client: app.bundleID, startIfNeeded: isOwn(app))
    }

    /// A socket at another place than the environment names belongs to a service that others start.
    private static func isOwn(_ app: AppIdentity) -> Bool { app.socket == app.paths.socket }

    private static func paths(_ app: AppIdentity) -> LarderPaths {
        isOwn(app)
            ? app.paths
            : LarderPaths(
                state: app.paths.state, runtime: app.socket.removingLastComponent(),
                configuration: app.paths.configuration)
    }
}
