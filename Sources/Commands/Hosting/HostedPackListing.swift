// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

/// Packs and versions of an app on a host, as tables or JSON lines.
struct HostedPackListing {
    private let client: HostingClient
    private let context: CommandContext

    init(_ client: HostingClient, _ context: CommandContext) {
        self.client = client
        self.context = context
    }

    func list(of app: String) async throws -> ExitCode {
        let packs = try await client.list(
            "/v1/apps/\(PercentEncoding.encode(app))/backgroundAssets", ["limit": "200", "sort": "assetPackIdentifier"]
        ).data
        var table = TextTable([
            ("identifier", .leading), ("id", .leading), ("archived", .leading), ("size", .trailing),
        ])
        for pack in packs {
            let attributes = pack["attributes"]
            if context.json {
                context.print(json: pack)
            } else {
                table.add([
                    attributes?["assetPackIdentifier"]?.stringValue ?? "", pack["id"]?.stringValue ?? "",
                    attributes?["archived"]?.boolValue == true ? "yes" : "no",
                    ByteCount.formatted(attributes?["usedBytes"]?.integerValue ?? 0),
                ])
            }
        }
        if !context.json { context.print(table.text) }
        return .success
    }

    func listVersions(of packID: String, app: String) async throws -> ExitCode {
        let versions = try await versions(of: packID, app: app)
        if context.json {
            for version in versions { context.print(json: version) }
            return .success
        }
        var table = TextTable([
            ("version", .trailing), ("id", .leading), ("state", .leading), ("created", .leading),
        ])
        for version in versions {
            let attributes = version["attributes"]
            table.add([
                attributes?["version"]?.stringValue ?? "", version["id"]?.stringValue ?? "",
                attributes?["state"]?.stringValue ?? "", attributes?["createdDate"]?.stringValue ?? "",
            ])
        }
        context.print(table.text)
        return .success
    }

    func status(of packID: String, app: String, number: String) async throws -> ExitCode {
        let version = try await versions(of: packID, app: app).first {
            $0["attributes"]?["version"]?.stringValue == number
        }
        guard let version else {
            throw CommandError("hosting.notFound", "The pack \"\(packID)\" has no version \(number) on the host.")
        }
        return show(version)
    }

    func status(_ id: String) async throws -> ExitCode { show(try await client.resource(.backgroundAssetVersions, id)) }

    private func show(_ version: JSONValue) -> ExitCode {
        let attributes = version["attributes"]
        if context.json {
            context.print(json: version)
        } else {
            context.print("Version: \(PackSupport.printable(attributes?["version"]?.stringValue ?? ""))")
            context.print("State:   \(PackSupport.printable(attributes?["state"]?.stringValue ?? ""))")
            for (name, word) in [("errors", "Error"), ("warnings", "Warning")] {
                for detail in StateDetail.list(attributes?["stateDetails"]?[name]) {
                    context.print(
                        "\(word): \(PackSupport.printable(detail.description)) (\(PackSupport.printable(detail.code)))")
                }
            }
        }
        return attributes?["state"]?.stringValue == "FAILED" ? .badInput : .success
    }

    private func versions(of packID: String, app: String) async throws -> [JSONValue] {
        let packs = try await client.list(
            "/v1/apps/\(PercentEncoding.encode(app))/backgroundAssets", ["filter[assetPackIdentifier]": packID]
        ).data
        guard
            let pack = packs.first(where: { $0["attributes"]?["assetPackIdentifier"]?.stringValue == packID })?["id"]?
                .stringValue
        else { throw CommandError("hosting.notFound", "The app \(app) has no pack \"\(packID)\" on the host.") }
        return try await client.list(
            "/v1/backgroundAssets/\(PercentEncoding.encode(pack))/versions", ["limit": "200", "sort": "-version"]
        ).data
    }
}
