// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
internal import Kit

/// Whose files are uploaded: the same way leads from a reservation to processing for versions of packs and for builds.
struct UploadKind: Sendable {
    let file: ResourceType
    let owner: ResourceType
    /// The file's relationship that names its owner.
    let link: String
    /// The owner's attribute with its state, a `VersionState`.
    let ownerState: String
    /// Values of `assetType`.
    let roles: [String]
    /// Attributes of a file that are kept and mean nothing here.
    let furtherAttributes: [String]
    let job: Job.Kind
    /// Changes the owner when its last file is there.
    let committed: @Sendable (_ owner: inout ResourceRecord, _ now: String) -> Void

    static let version = UploadKind(
        file: .backgroundAssetUploadFiles, owner: .backgroundAssetVersions, link: "backgroundAssetVersion",
        ownerState: "state", roles: UploadFileKind.names, furtherAttributes: [], job: .processVersion,
        committed: { _, _ in })

    static let build = UploadKind(
        file: .buildUploadFiles, owner: .buildUploads, link: "buildUpload", ownerState: "step",
        roles: [UploadFileKind.asset.rawValue], furtherAttributes: ["uti"], job: .processBuild,
        committed: { upload, now in
            upload["uploadedDate"] = .string(now)
            upload["state"] = upload.state(VersionState.self, in: "step")?.uploadState()
        })

    static let all = [version, build]
}

extension VersionState {
    /// The attribute `state` of an upload of a build.
    func uploadState(errors: [StateDetail] = []) -> JSONValue {
        let none: [JSONValue] = []
        return [
            "state": .string(rawValue), "errors": .array(errors.map(\.json)), "warnings": .array(none),
            "infos": .array(none),
        ]
    }
}
