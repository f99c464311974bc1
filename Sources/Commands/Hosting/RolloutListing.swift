// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

/// Rollouts with the names that people know, as a table or JSON lines.
struct RolloutListing {
    private let client: HostingClient
    private let context: CommandContext

    init(_ client: HostingClient, _ context: CommandContext) {
        self.client = client
        self.context = context
    }

    /// - Parameters:
    ///   - app: a bundle identifier; nil for all apps that the key may see.
    ///   - showsAll: also those that are over.
    func print(app: String?, showsAll: Bool) async throws {
        let path = "/v1/\(ResourceType.rollouts)"
        let rollouts =
            if let app {
                try await client.list(path, ["filter[app]": client.app(.bundleID(app)), "limit": "200"]).data
            } else {
                try await client.list(path, ["limit": "200"]).data
            }
        var table = TextTable([
            ("id", .leading), ("pack", .leading), ("channel", .leading), ("state", .leading), ("devices", .trailing),
            ("came", .trailing), ("failed", .trailing),
        ])
        var details: [String] = []
        for rollout in rollouts {
            let attributes = rollout["attributes"]
            let state = attributes?["state"]?.stringValue ?? ""
            let isOver = [RolloutState.complete, .rolledBack].map(\.rawValue).contains(state)
            guard showsAll || !isOver else { continue }
            if context.json {
                context.print(json: rollout)
                continue
            }
            func number(_ name: String) -> String { "\(attributes?[name]?.integerValue ?? 0)" }
            table.add([
                try rollout.identifier(), try await name(of: rollout), attributes?["channel"]?.stringValue ?? "", state,
                Self.devices(attributes), number("successes"), number("failures"),
            ])
            for detail in attributes?["stateDetails"]?["errors"]?.arrayValue ?? [] {
                details.append(PackSupport.printable(detail["description"]?.stringValue ?? ""))
            }
        }
        guard !context.json else { return }
        context.print(table.text)
        for detail in details { context.print(detail) }
    }

    /// How many of the devices get the version. What a rollout that is over said at last is not what holds now.
    static func devices(_ attributes: JSONValue?) -> String {
        switch attributes?["state"]?.stringValue.flatMap(RolloutState.init(rawValue:)) {
        case .complete: "all"
        case .rolledBack: "none"
        default: "\(attributes?["percentage"]?.integerValue ?? 0) %"
        }
    }

    /// `Tutorial 3`
    private func name(of rollout: JSONValue) async throws -> String {
        guard let id = rollout["relationships"]?["backgroundAssetVersion"]?["data"]?["id"]?.stringValue else {
            return ""
        }
        let document = try await client.get(
            "/v1/backgroundAssetVersions/\(PercentEncoding.encode(id))", ["include": "backgroundAsset"])
        let pack = document["included"]?.arrayValue?.first?["attributes"]?["assetPackIdentifier"]?.stringValue
        return "\(pack ?? "?") \(document["data"]?["attributes"]?["version"]?.stringValue ?? "")"
    }
}
