// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Kit

extension DeviceConnection {
    /// Opens an app's connection.
    /// - Throws: `DeviceError` when no service answers.
    static func connect(for app: AppIdentity) async throws -> DeviceConnection {
        let channel: FrameChannel
        do {
            channel = try await offload { FrameChannel(try UnixSocket.connect(app.socket)) }
        } catch {
            throw DeviceError(
                .unavailable,
                "The device service does not answer on \(app.socket): \(error). Start it with “larderd”.")
        }
        return try await DeviceConnection(channel: channel, client: app.bundleID, version: "1")
    }
}
