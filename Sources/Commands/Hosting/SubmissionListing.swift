// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

/// What publishers have submitted, with the names that people know.
struct SubmissionListing {
    struct Item {
        let id: String
        /// `Tutorial 3`, or `2.0 of the app`.
        let pack: String
        let state: String

        var json: JSONValue { ["id": .string(id), "pack": .string(pack), "state": .string(state)] }
    }

    struct Submission {
        let id: String
        let app: String
        let channel: Channel
        let state: String
        let submittedDate: String
        let items: [Item]

        /// Who gets what is approved, for people.
        var audience: String { channel == .appStore ? "App Store" : "external testers" }

        var json: JSONValue {
            [
                "id": .string(id), "app": .string(app), "channel": .string(channel.rawValue), "state": .string(state),
                "submittedDate": .string(submittedDate), "items": .array(items.map(\.json)),
            ]
        }
    }

    /// As an address holds them easily.
    private static let appsAtOnce = 100
    private let client: HostingClient
    private let showsAll: Bool
    private var names: [String: String] = [:]

    init(_ client: HostingClient, showsAll: Bool) {
        self.client = client
        self.showsAll = showsAll
    }

    /// Those for the App Store, then those for external testers, oldest first.
    mutating func submissions(ofApp bundleID: String?) async throws -> [Submission] {
        let app = if let bundleID { try await client.app(.bundleID(bundleID)) } else { String?.none }
        return try await forAppStore(app) + forExternalTesters(app) + buildsForExternalTesters(app)
    }

    private mutating func forAppStore(_ app: String?) async throws -> [Submission] {
        var found: [Submission] = []
        // A publisher's key must say of which apps.
        let apps =
            if let app { [app] } else {
                try await client.list("/v1/apps", ["limit": "200"]).data.map { try $0.identifier() }
            }
        var all: [JSONValue] = []
        for start in stride(from: 0, to: apps.count, by: Self.appsAtOnce) {
            let some = apps[start..<min(start + Self.appsAtOnce, apps.count)].joined(separator: ",")
            all += try await client.list("/v1/reviewSubmissions", ["filter[app]": some, "limit": "200"]).data
        }
        for data in all {
            let state = data["attributes"]?["state"]?.stringValue ?? ""
            guard showsAll || ["WAITING_FOR_REVIEW", "IN_REVIEW"].contains(state) else { continue }
            let id = try data.identifier()
            var items: [Item] = []
            let (list, included) = try await client.list(
                "/v1/reviewSubmissions/\(PercentEncoding.encode(id))/items",
                ["include": "appStoreVersion,backgroundAssetVersion", "limit": "50"])
            for item in list {
                items.append(
                    Item(
                        id: try item.identifier(), pack: try await name(of: item, included),
                        state: item["attributes"]?["state"]?.stringValue ?? ""))
            }
            let appID = data["relationships"]?["app"]?["data"]?["id"]?.stringValue
            found.append(
                Submission(
                    id: id, app: try await name(ofApp: appID), channel: .appStore, state: state,
                    submittedDate: data["attributes"]?["submittedDate"]?.stringValue ?? "", items: items))
        }
        return found
    }

    private mutating func forExternalTesters(_ app: String?) async throws -> [Submission] {
        var found: [Submission] = []
        for data in try await client.list(
            "/v1/betaBackgroundAssetReviewSubmissions", ["limit": "200"]
        ).data {
            let state = data["attributes"]?["betaReviewState"]?.stringValue ?? ""
            guard showsAll || ["WAITING_FOR_REVIEW", "IN_REVIEW"].contains(state) else { continue }
            let id = try data.identifier()
            let (pack, owner) = try await name(
                ofVersion: data["relationships"]?["backgroundAssetVersion"]?["data"]?["id"]?.stringValue)
            guard app == nil || owner == app else { continue }
            found.append(
                Submission(
                    id: id, app: try await name(ofApp: owner), channel: .externalBeta, state: state,
                    submittedDate: data["attributes"]?["submittedDate"]?.stringValue ?? "",
                    items: [Item(id: id, pack: pack, state: state)]))
        }
        return found
    }

    /// Likewise builds.
    private mutating func buildsForExternalTesters(_ app: String?) async throws -> [Submission] {
        var found: [Submission] = []
        let builds = try await client.list(
            "/v1/builds",
            [
                "filter[betaAppReviewSubmission.betaReviewState]": "WAITING_FOR_REVIEW,IN_REVIEW,REJECTED,APPROVED",
                "include": "betaAppReviewSubmission", "limit": "200",
            ])
        for build in builds.data {
            let id = build["relationships"]?["betaAppReviewSubmission"]?["data"]?["id"]?.stringValue
            guard let id, let data = builds.included.first(where: { $0["id"]?.stringValue == id }) else { continue }
            let state = data["attributes"]?["betaReviewState"]?.stringValue ?? ""
            guard showsAll || ["WAITING_FOR_REVIEW", "IN_REVIEW"].contains(state) else { continue }
            let owner = build["relationships"]?["app"]?["data"]?["id"]?.stringValue
            guard app == nil || owner == app else { continue }
            let number = build["attributes"]?["version"]?.stringValue ?? "?"
            found.append(
                Submission(
                    id: id, app: try await name(ofApp: owner), channel: .externalBeta, state: state,
                    submittedDate: data["attributes"]?["submittedDate"]?.stringValue ?? "",
                    items: [Item(id: id, pack: "build \(number)", state: state)]))
        }
        return found
    }

    private mutating func name(ofApp id: String?) async throws -> String {
        guard let id else { return "" }
        if let known = names[id] { return known }
        let name = try await client.resource(.apps, id)["attributes"]?["bundleId"]?.stringValue ?? id
        names[id] = name
        return name
    }

    /// What an item is about.
    private func name(of item: JSONValue, _ included: [JSONValue]) async throws -> String {
        func id(_ relationship: String) -> String? {
            item["relationships"]?[relationship]?["data"]?["id"]?.stringValue
        }
        guard let version = id("appStoreVersion") else {
            return try await name(ofVersion: id("backgroundAssetVersion")).pack
        }
        let number = included.first { $0["id"]?.stringValue == version }?["attributes"]?["versionString"]?.stringValue
        return "\(number ?? "?") of the app"
    }

    /// The pack's identifier with the version's number, and the app's number.
    private func name(ofVersion id: String?) async throws -> (pack: String, app: String?) {
        guard let id else { return ("", nil) }
        let document = try await client.get(
            "/v1/backgroundAssetVersions/\(PercentEncoding.encode(id))", ["include": "backgroundAsset"])
        let pack = document["included"]?.arrayValue?.first
        let number = document["data"]?["attributes"]?["version"]?.stringValue ?? ""
        return (
            "\(pack?["attributes"]?["assetPackIdentifier"]?.stringValue ?? "?") \(number)",
            pack?["relationships"]?["app"]?["data"]?["id"]?.stringValue
        )
    }
}
