// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// What processing leads to, each in one transaction.
enum Publication {
    /// The version is sound: its releases are made, and internal testers get it unless they have a newer one.
    /// - Parameter limit: bytes that all packs of the app may take.
    /// - Throws: `DatabaseError`, `IllegalStep`
    static func complete(
        _ id: String, _ content: VersionContent, _ index: IndexMaking, limit: Int64, in store: borrowing Connection
    ) throws {
        guard var version = try store.record(.backgroundAssetVersions, id) else { return }
        version["platforms"] = .array(content.platforms.map { .string($0.rawValue) })
        version["locale"] = content.language.map { .string($0) }
        version["content"] = content.json
        var warnings = content.warnings.map { StateDetail("ASSET_PACK_WARNING", $0) }
        var file = UpdateFile(version: id, app: version.app, state: .impossible)
        switch index {
        case .made(let made): (file.state, file.stored) = (.listed, made.stored)
        case .impossible(let reason): warnings.append(StateDetail("ASSET_PACK_WITHOUT_INDEX", reason))
        }
        try store.set(file)
        version["stateDetails"] = StateDetail.details(warnings: warnings)
        for channel in Channel.allCases {
            let release = ResourceRecord(
                channel.releaseType, id: Identifier.random(), app: version.app,
                values: ["state": .string(channel.initialState), "backgroundAssetVersion": .string(id)])
            try store.insert(release)
            if channel == .internalBeta {
                try store.announce(.internalBetaReleaseCreated, release, old: nil, new: channel.initialState)
            }
            version[channel.release] = .string(release.id)
        }
        try store.step(&version, VersionState.self, .processed)
        try finishFiles(of: id, .processed, [], in: store)
        try goLive(id, .internalBeta, in: store)
        try warnOfQuota(id, &warnings, limit: limit, in: store)
    }

    /// Says so when the app's packs take four fifths of what they may, or more (BA 5).
    private static func warnOfQuota(
        _ id: String, _ warnings: inout [StateDetail], limit: Int64, in store: borrowing Connection
    ) throws {
        guard var version = try store.record(.backgroundAssetVersions, id) else { return }
        let used = try store.usedBytes(ofApp: version.app)
        guard used >= limit / 5 * 4 else { return }
        warnings.append(
            StateDetail(
                "QUOTA_NEARLY_REACHED",
                "The app's packs take \(used) of \(limit) bytes. Archive packs that are not needed any more."))
        version["stateDetails"] = StateDetail.details(warnings: warnings)
        try store.update(version)
    }

    /// The version is refused, and says why.
    /// - Throws: `DatabaseError`, `IllegalStep`
    static func fail(_ id: String, _ detail: StateDetail, in store: borrowing Connection) throws {
        guard var version = try store.record(.backgroundAssetVersions, id) else { return }
        version["stateDetails"] = StateDetail.details(errors: [detail])
        try store.step(&version, VersionState.self, .failed)
        try finishFiles(of: id, .failed, [detail], in: store)
    }

    private static func finishFiles(
        of version: String, _ event: UploadFileState.Event, _ errors: [StateDetail], in store: borrowing Connection
    ) throws {
        for var file in try store.records(
            .backgroundAssetUploadFiles, where: ["backgroundAssetVersion": .text(version)])
        {
            try file.step(UploadFileState.self, event)
            file["assetDeliveryState"] = file.state(UploadFileState.self)?.deliveryState(errors: errors)
            try store.update(file)
        }
    }

    /// Makes a version the live one of its channel. Internal testers keep a newer one that they have, and the version is
    /// superseded at once; elsewhere somebody has decided that it is to be live, be it older.
    /// - Throws: `DatabaseError`, `IllegalStep`
    static func goLive(_ versionID: String, _ channel: Channel, in store: borrowing Connection) throws {
        guard let version = try store.record(.backgroundAssetVersions, versionID),
            let packID = version.text("backgroundAsset"), var pack = try store.record(.backgroundAssets, packID)
        else { return }
        var loser: ResourceRecord?
        if let live = try pack.text(channel.liveVersion).flatMap({ try store.record(.backgroundAssetVersions, $0) }) {
            let isNewer = (version.integer("version") ?? 0) > (live.integer("version") ?? 0)
            loser = isNewer || channel != .internalBeta ? live : version
        }
        if loser?.id != version.id { pack[channel.liveVersion] = .string(version.id) }
        if let id = loser?.text(channel.release), var release = try store.record(channel.releaseType, id) {
            switch channel {
            case .internalBeta: try store.step(&release, InternalBetaReleaseState.self, .superseded)
            case .externalBeta: try store.step(&release, ExternalBetaReleaseState.self, .superseded)
            case .appStore: try store.step(&release, AppStoreReleaseState.self, .superseded)
            }
        }
        try recount(&pack, in: store)
        try store.update(pack)
        if loser?.id != version.id { try store.add(Job(kind: .prepareUpdates, subject: version.id)) }
    }

    /// The space that counts for a pack: that of its largest version that some device may get now or later (BA 5).
    /// - Throws: `DatabaseError`
    private static func recount(_ pack: inout ResourceRecord, in store: borrowing Connection) throws {
        var largest: Int64 = 0
        for version in try store.records(
            .backgroundAssetVersions,
            where: ["backgroundAsset": .text(pack.id), "state": .text(VersionState.complete.rawValue)])
        {
            let size = VersionContent.archiveSize(of: version)
            guard size > largest else { continue }
            for channel in Channel.allCases {
                guard let id = version.text(channel.release),
                    let release = try store.record(channel.releaseType, id), release.text("state") != "SUPERSEDED"
                else { continue }
                largest = size
                break
            }
        }
        pack["usedBytes"] = .integer(largest)
    }
}
