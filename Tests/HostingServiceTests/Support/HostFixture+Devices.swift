// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import TestSupport

extension HostFixture {
    /// A new token for a channel of the app.
    func channelToken(_ channel: Channel, app bundleID: String = bundleID) async throws -> String {
        let administration = try await HostAdministration(configuration)
        let token = try await administration.createChannelToken(bundleID: bundleID, channel: channel, name: "test")
        await administration.close()
        return token.secret
    }

    /// What a device of the channel is answered.
    /// - Parameter document: `manifest` or `build`, with further arguments.
    func ask(
        _ channel: Channel, _ document: String, headers: [String: String] = [:]
    ) async throws -> Publisher.Answer {
        let token = channel == .appStore ? nil : try await channelToken(channel)
        return try await publisher.send(
            "GET", "/devices/\(Self.bundleID)/\(channel.rawValue)/\(document)", headers: headers, token: .some(token))
    }
}
