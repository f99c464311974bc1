// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppBundles
internal import Database
internal import HostingModel
internal import Kit

/// What processing of a build leads to, each in one transaction.
enum BuildPublication {
    /// The build that an upload is of, when there is one.
    /// - Throws: `DatabaseError`
    static func build(of upload: ResourceRecord, in store: borrowing Connection) throws -> ResourceRecord? {
        guard let version = try version(of: upload, in: store) else { return nil }
        return try store.records(
            .builds,
            where: [
                "preReleaseVersion": .text(version.id), "version": .text(upload.text("cfBundleVersion") ?? ""),
            ]
        ).first
    }

    private static func version(of upload: ResourceRecord, in store: borrowing Connection) throws -> ResourceRecord? {
        try store.records(
            .preReleaseVersions,
            where: [
                "app": .text(upload.app), "platform": .text(upload.text("platform") ?? ""),
                "version": .text(upload.text("cfBundleShortVersionString") ?? ""),
            ]
        ).first
    }

    /// The build is sound: internal testers get it.
    /// - Throws: `DatabaseError`, `IllegalStep`; `Rejection` when it is there already.
    static func complete(
        _ uploadID: String, _ content: HostedBuild, now: String, in store: borrowing Connection
    ) throws {
        guard var upload = try store.record(.buildUploads, uploadID) else { return }
        guard try build(of: upload, in: store) == nil else {
            throw Rejection("BUILD_EXISTS", "The app has build \(content.build) of \(content.version) already.")
        }
        let platform = upload.text("platform") ?? ""
        let version: ResourceRecord
        if let known = try self.version(of: upload, in: store) {
            version = known
        } else {
            version = ResourceRecord(
                .preReleaseVersions, id: Identifier.random(), app: upload.app,
                values: [
                    "app": .string(upload.app), "platform": .string(platform), "version": .string(content.version),
                ])
            try store.insert(version)
        }
        let build = ResourceRecord(
            .builds, id: content.id, app: upload.app,
            values: [
                "app": .string(upload.app), "version": .string(content.build), "uploadedDate": .string(now),
                "expired": false, "processingState": "VALID", "preReleaseVersion": .string(version.id),
                "content": try BuildContent.json(content), "buildUpload": .string(upload.id),
                "versionOrder": .string(VersionOrder.key(content.build)),
                "preReleaseVersionOrder": .string(VersionOrder.key(content.version)),
                // Clients of App Store Connect read a build only when it has these. Builds here have no icon, need no
                // certain system, and expire when somebody says so.
                "buildAudienceType": "APP_STORE_ELIGIBLE", "expirationDate": "9999-12-31T00:00:00Z",
                "iconAssetToken": ["height": 0, "templateUrl": "", "width": 0], "minOsVersion": "0.0",
                "usesNonExemptEncryption": false,
            ])
        try store.insert(build)
        upload["build"] = .string(build.id)
        try end(&upload, .processed, [], in: store)
        _ = try BuildReleases.release(build, .internalBeta, platform: platform, now: now, in: store)
    }

    /// The upload is refused, and says why.
    /// - Throws: `DatabaseError`, `IllegalStep`
    static func fail(_ uploadID: String, _ detail: StateDetail, in store: borrowing Connection) throws {
        guard var upload = try store.record(.buildUploads, uploadID) else { return }
        try end(&upload, .failed, [detail], in: store)
    }

    private static func end(
        _ upload: inout ResourceRecord, _ event: VersionState.Event, _ errors: [StateDetail],
        in store: borrowing Connection
    ) throws {
        try upload.step(VersionState.self, event, in: "step")
        upload["state"] = upload.state(VersionState.self, in: "step")?.uploadState(errors: errors)
        try store.update(upload)
        for var file in try store.records(.buildUploadFiles, where: ["buildUpload": .text(upload.id)]) {
            try file.step(UploadFileState.self, event == .processed ? .processed : .failed)
            file["assetDeliveryState"] = file.state(UploadFileState.self)?.deliveryState(errors: errors)
            try store.update(file)
        }
    }
}
