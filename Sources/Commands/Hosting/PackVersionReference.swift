// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import Kit

/// A version of a pack as people name it: the pack, its app, and the version's number.
struct PackVersionReference: Sendable {
    static let argument = CommandArgument("pack", "The pack's identifier.")
    static let options: [CommandOption] = [
        .value("app", short: "a", "bundle id", "The app that the pack belongs to."),
        .value("number", "number", "The version's number; the newest one by default."),
    ]

    private let pack: String
    private let app: String
    private let number: String?

    /// - Parameter number: the version's; nil for the newest one.
    init(_ pack: String, app: String, number: String?) {
        self.pack = pack
        self.app = app
        self.number = number
    }

    /// - Throws: `UsageError`
    init(_ arguments: ParsedArguments) throws {
        pack = try arguments.requiredArgument("pack")
        app = try arguments.required("app")
        number = try arguments.integer("number", in: 1...Int(Int32.max)).map(String.init)
    }

    /// The host's identifier of the version.
    /// - Throws: `CommandError` when there is no such version; as `HostingClient.get`
    func version(_ client: HostingClient) async throws -> String { try await find(client).identifier() }

    /// Likewise of one that the host has checked and found sound.
    /// - Throws: also `HostingClientError` when it is not
    func completeVersion(_ client: HostingClient) async throws -> String {
        let version = try await find(client)
        let state = version["attributes"]?["state"]?.stringValue ?? ""
        guard state == "COMPLETE" else {
            let name = version["attributes"]?["version"]?.stringValue ?? "?"
            throw HostingClientError(
                .badRequest,
                "Version \(name) of the pack \"\(pack)\" is \(state) on the host, and only one that is COMPLETE can be "
                    + "submitted. Wait for it, upload it again, or name another with --number.")
        }
        return try version.identifier()
    }

    private func find(_ client: HostingClient) async throws -> JSONValue {
        let appID = try await client.app(.bundleID(app))
        let packs = try await client.list(
            "/v1/apps/\(PercentEncoding.encode(appID))/backgroundAssets", ["filter[assetPackIdentifier]": pack]
        ).data
        guard
            let found = packs.first(where: { $0["attributes"]?["assetPackIdentifier"]?.stringValue == pack })
        else { throw CommandError("hosting.notFound", "The app \(app) has no pack \"\(pack)\" on the host.") }
        let versions = try await client.list(
            "/v1/backgroundAssets/\(PercentEncoding.encode(try found.identifier()))/versions",
            ["limit": "200", "sort": "-version"]
        ).data
        let version = versions.first { number == nil || $0["attributes"]?["version"]?.stringValue == number }
        guard let version else {
            throw CommandError(
                "hosting.notFound",
                "The pack \"\(pack)\" has no version\(number.map { " \($0)" } ?? "") on the host. Upload one first.")
        }
        return version
    }
}
