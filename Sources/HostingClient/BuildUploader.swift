// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppBundles
package import HostingModel
internal import Kit
package import System

/// Brings an archive of an app to a host as a new build. Doing it again after a failure goes on where it ended.
package struct BuildUploader: Sendable {
    private let client: HostingClient
    private let parallel: Int

    package init(_ client: HostingClient, parallel: Int = 4) {
        self.client = client
        self.parallel = max(1, parallel)
    }

    /// What processing came to.
    package struct Outcome: Hashable, Sendable {
        /// The host's identifier of the build; nil when it was refused.
        package let build: String?
        package let errors: [StateDetail]
    }

    /// Uploads an archive of that bundle.
    /// - Returns: the host's identifier of the upload.
    /// - Throws: `HostingClientError`, `HTTPClientError`, `AssetPackError`, `CancellationError`
    package func upload(
        _ archive: FilePath, of bundle: AppBundle,
        progress: @escaping @Sendable (_ completed: Int64, _ total: Int64) -> Void
    ) async throws -> String {
        let source = try await offload { try UploadSource(archive) }
        let app = try await client.app(.bundleID(bundle.identifier))
        let (upload, file) = try await reserve(source, bundle, app)
        let parts = PartSender(client, source, .buildUploadFiles, parallel: parallel) { progress($0, source.size) }
        try await parts.finish(file)
        return upload
    }

    private func reserve(
        _ source: UploadSource, _ bundle: AppBundle, _ app: String
    ) async throws -> (upload: String, file: String) {
        let waiting = try await client.get(
            "/v1/apps/\(app)/buildUploads",
            [
                "filter[cfBundleShortVersionString]": bundle.version, "filter[cfBundleVersion]": bundle.build,
                "filter[state]": "AWAITING_UPLOAD", "include": "assetFile",
            ])
        for upload in waiting["data"]?.arrayValue ?? [] {
            let id = upload["relationships"]?["assetFile"]?["data"]?["id"]?.stringValue
            let file = waiting["included"]?.arrayValue?.first { $0["id"]?.stringValue == id && id != nil }
            guard let file, file["attributes"]?["fileSize"]?.integerValue == source.size,
                file["attributes"]?["assetDeliveryState"]?["state"] == "AWAITING_UPLOAD"
            else { continue }
            return (try upload.identifier(), try file.identifier())
        }
        let upload = try await client.create(
            .buildUploads,
            [
                "cfBundleShortVersionString": .string(bundle.version), "cfBundleVersion": .string(bundle.build),
                "platform": .string(Platform.linux.rawValue),
            ], ["app": (.apps, app)]
        ).identifier()
        let file = try await client.create(
            .buildUploadFiles,
            [
                "assetType": "ASSET", "fileName": .string(source.name), "fileSize": .integer(source.size),
                "uti": "com.apple.archive",
            ], ["buildUpload": (.buildUploads, upload)]
        ).identifier()
        return (upload, file)
    }

    /// Asks until the upload was processed.
    /// - Throws: `HostingClientError`, `HTTPClientError`, `CancellationError`
    package func outcome(of upload: String) async throws -> Outcome {
        let data = try await client.resource(.buildUploads, upload) { $0["attributes"]?["state"]?["state"] }
        return Outcome(
            build: data["relationships"]?["build"]?["data"]?["id"]?.stringValue,
            errors: StateDetail.list(data["attributes"]?["state"]?["errors"]))
    }
}
