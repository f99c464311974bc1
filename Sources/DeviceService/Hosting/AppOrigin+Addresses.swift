// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol

extension AppOrigin {
    private static let channelLength = 64

    /// The origin as it is kept: checked, and without a slash at the end of its address.
    /// - Throws: `DeviceError` with code `badSetting`
    func checked() throws(DeviceError) -> AppOrigin {
        var origin = self
        while origin.host.hasSuffix("/") { origin.host.removeLast() }
        guard let address = WebAddress(origin.host), !address.resource.contains("?"), !origin.host.contains("#") else {
            throw DeviceError(
                .badSetting, "\"\(host)\" is no address of a hosting service. Write it as https://packs.example.com.")
        }
        guard address.isSecure || address.isLoopback else {
            throw DeviceError(
                .badSetting, "\"\(host)\" is plain http to another machine. Use https, or a loopback address.")
        }
        guard !channel.isEmpty, channel.utf8.count <= Self.channelLength,
            channel.allSatisfy({ $0.isASCII && $0.isLetter })
        else {
            throw DeviceError(
                .badSetting, "\"\(channel)\" is no channel. There are internalBeta, externalBeta and appStore.")
        }
        if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || token.isEmpty {
            throw DeviceError(.badSetting, "The channel token has characters that no token has. Copy it once more.")
        }
        return origin
    }

    /// Of what concerns the app: `build`, `manifest` or `reports`.
    func path(of document: String, app: String) -> String { "\(host)/devices/\(app)/\(channel)/\(document)" }

    /// Of a document about the app: `build` or `manifest`.
    func address(of document: String, app: String) -> String {
        "\(path(of: document, app: app))?\(Catalogue.platformParameter)"
    }

    /// What requests to the service carry.
    var headers: [(String, String)] { token.map { [("Authorization", "Bearer \($0)")] } ?? [] }

    /// Whether it was asked for without TLS, which only this machine's own service may be.
    var isPlain: Bool { WebAddress(host)?.isSecure == false }

    /// The service's name, as rules for hosts compare it.
    var hostName: String? { WebAddress(host)?.host }
}
