// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HostingModel
package import Kit
package import System

/// How an app is named on a command line.
package enum AppReference: Hashable, Sendable {
    case bundleID(String)
    /// The host's number.
    case id(String)
}

/// A version of a pack on a host.
package struct UploadedVersion: Hashable, Sendable {
    package let app: String
    /// The identifier that the app uses.
    package let assetPackID: String
    /// The host's identifier of the pack.
    package let pack: String
    /// The host's identifier of the version.
    package let id: String
    /// The version's number; empty when the host did not say.
    package let number: String
    /// Whether it was begun before.
    package let isResumed: Bool
}

/// Brings a pack's archive to a host as a new version: makes the pack if need be, goes on with what was begun, sends the
/// parts side by side, and says at the end that all are there.
package struct PackUploader: Sendable {
    /// What an upload tells as it goes on.
    package enum Event: Sendable {
        case began(UploadedVersion)
        case progress(completed: Int64, total: Int64)
    }

    private let client: HostingClient
    /// How many parts are on their way at once.
    private let parallel: Int

    package init(_ client: HostingClient, parallel: Int = 4) {
        self.client = client
        self.parallel = max(1, parallel)
    }

    /// Uploads an archive. Doing it again after a failure goes on where it ended.
    /// - Throws: `HostingClientError`, `HTTPClientError`, `ArchiveError`, `AssetPackError`, `CancellationError`
    package func upload(
        _ archive: FilePath, to reference: AppReference, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws -> UploadedVersion {
        let source = try await offload { try UploadSource(archive) }
        let packID = try await offload { try ArchivedManifest.packID(of: archive) }
        let app = try await client.app(reference)
        let pack = try await pack(packID, of: app)
        let (version, file, isResumed) = try await reserve(source, pack)
        let uploaded = UploadedVersion(
            app: app, assetPackID: packID, pack: pack, id: try version.identifier(),
            number: version["attributes"]?["version"]?.stringValue ?? "", isResumed: isResumed)
        onEvent(.began(uploaded))
        let parts = PartSender(client, source, .backgroundAssetUploadFiles, parallel: parallel) { completed in
            onEvent(.progress(completed: completed, total: source.size))
        }
        try await parts.finish(try file.identifier())
        return uploaded
    }

    // MARK: Places

    private func pack(_ packID: String, of app: String) async throws -> String {
        if let known = try await known(packID, of: app) { return known }
        do {
            return try await client.create(
                .backgroundAssets, ["assetPackIdentifier": .string(packID)], ["app": (.apps, app)]
            ).identifier()
        } catch let error as HostingClientError where error.status == 409 {
            // Somebody else made it meanwhile; if not, the host's words are the answer.
            guard let known = try await known(packID, of: app) else { throw error }
            return known
        }
    }

    private func known(_ packID: String, of app: String) async throws -> String? {
        let packs = try await client.list(
            "/v1/apps/\(app)/backgroundAssets", ["filter[assetPackIdentifier]": packID]
        ).data
        return packs.first { $0["attributes"]?["assetPackIdentifier"]?.stringValue == packID }?["id"]?.stringValue
    }

    private func reserve(
        _ source: UploadSource, _ pack: String
    ) async throws -> (version: JSONValue, file: JSONValue, isResumed: Bool) {
        let waiting = try await client.get(
            "/v1/backgroundAssets/\(pack)/versions",
            ["filter[state]": "AWAITING_UPLOAD", "sort": "-version", "include": "assetFile", "limit": "50"])
        let versions = waiting["data"]?.arrayValue ?? []
        let choice = UploadReservation.choose(
            versions: versions, files: waiting["included"]?.arrayValue ?? [], fileName: source.name,
            fileSize: source.size)
        func known(_ id: String) -> JSONValue { versions.first { $0["id"]?.stringValue == id } ?? .null }
        switch choice {
        case .goOn(let version, let file):
            return (known(version), try await client.resource(.backgroundAssetUploadFiles, file), true)
        case .addFile(let version):
            return (known(version), try await addFile(source, version), false)
        case .makeVersion:
            let version = try await client.create(
                .backgroundAssetVersions, [:], ["backgroundAsset": (.backgroundAssets, pack)])
            return (version, try await addFile(source, version.identifier()), false)
        }
    }

    private func addFile(_ source: UploadSource, _ version: String) async throws -> JSONValue {
        try await client.create(
            .backgroundAssetUploadFiles,
            ["assetType": "ASSET", "fileName": .string(source.name), "fileSize": .integer(source.size)],
            ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
    }

    // MARK: Afterwards

    /// What processing came to.
    package struct Outcome: Hashable, Sendable {
        package let version: String
        /// `COMPLETE` or `FAILED`.
        package let state: String
        package let errors: [StateDetail]
        package let warnings: [StateDetail]
    }

    /// Asks until the version was processed.
    /// - Throws: `HostingClientError`, `HTTPClientError`, `CancellationError`
    package func outcome(of version: String) async throws -> Outcome {
        let data = try await client.resource(.backgroundAssetVersions, version) { $0["attributes"]?["state"] }
        let attributes = data["attributes"]
        return Outcome(
            version: attributes?["version"]?.stringValue ?? "", state: attributes?["state"]?.stringValue ?? "",
            errors: StateDetail.list(attributes?["stateDetails"]?["errors"]),
            warnings: StateDetail.list(attributes?["stateDetails"]?["warnings"]))
    }
}

extension HostingClient {
    /// The host's number of an app.
    /// - Throws: `HostingClientError` when there is none, or none for this key; else as `get`
    package func app(_ reference: AppReference) async throws -> String {
        switch reference {
        case .id(let id): return try await resource(.apps, id).identifier()
        case .bundleID(let bundleID):
            let apps = try await list("/v1/apps", ["filter[bundleId]": bundleID]).data
            guard let app = apps.first(where: { $0["attributes"]?["bundleId"]?.stringValue == bundleID }) else {
                throw HostingClientError(
                    .notFound,
                    "The host at \(url) has no app \"\(bundleID)\", or none that this key may use. Its operator makes one "
                        + "with: larder-host app create \(bundleID)")
            }
            return try app.identifier()
        }
    }

    /// One resource; its `data`.
    /// - Throws: as `get`
    package func resource(_ type: ResourceType, _ id: String) async throws -> JSONValue {
        guard let data = try await get("/v1/\(type)/\(PercentEncoding.encode(id))")["data"] else {
            throw HostingClientError(.host, "The host at \(url) does not answer as App Store Connect does.")
        }
        return data
    }

    /// Asks for a resource again and again, until it was processed; its `data`.
    /// - Parameter state: where its state is: `COMPLETE` and `FAILED` are ends.
    /// - Throws: as `get`
    package func resource(
        _ type: ResourceType, _ id: String, until state: (JSONValue) -> JSONValue?
    ) async throws -> JSONValue {
        var pause = Duration.milliseconds(200)
        while true {
            let data = try await resource(type, id)
            if ["COMPLETE", "FAILED"].contains(state(data)) { return data }
            try await Task.sleep(for: pause)
            pause = min(pause * 1.5, .seconds(5))
        }
    }
}

extension JSONValue {
    /// Of a resource.
    /// - Throws: `HostingClientError`
    package func identifier() throws(HostingClientError) -> String {
        guard let id = self["id"]?.stringValue, !id.isEmpty else {
            throw HostingClientError(.host, "The host does not answer as App Store Connect does: no identifier.")
        }
        return id
    }
}
