// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// What an item of a submission is about: a version of a pack, or a version of the app (BA 4.6).
enum ReviewSubject {
    case pack(ResourceRecord)
    case app(ResourceRecord)

    /// The relationship that names it.
    var relationship: String {
        switch self {
        case .pack: "backgroundAssetVersion"
        case .app: "appStoreVersion"
        }
    }

    var record: ResourceRecord {
        switch self {
        case .pack(let version), .app(let version): version
        }
    }

    /// nil when it is gone.
    /// - Throws: `DatabaseError`
    init?(of item: ResourceRecord, in store: borrowing Connection) throws {
        if let id = item.text("backgroundAssetVersion"), let version = try store.record(.backgroundAssetVersions, id) {
            self = .pack(version)
        } else if let id = item.text("appStoreVersion"), let version = try store.record(.appStoreVersions, id) {
            self = .app(version)
        } else {
            return nil
        }
    }

    /// Takes its way into the App Store a step on.
    /// - Throws: `IllegalStep`, `DatabaseError`
    func step(_ event: AppStoreReleaseState.Event, in store: borrowing Connection) throws {
        switch self {
        case .pack(let version):
            guard let id = version.text(Channel.appStore.release), var release = try store.record(.appStoreReleases, id)
            else { return }
            try store.step(&release, AppStoreReleaseState.self, event)
        case .app(var version): try AppVersions.step(&version, event, in: store)
        }
    }

    /// - Throws: `IllegalStep`, `DatabaseError`
    func goLive(now: String, in store: borrowing Connection) throws {
        switch self {
        case .pack(let version): try Publication.goLive(version.id, .appStore, in: store)
        case .app(let version): try AppVersions.goLive(version.id, now: now, in: store)
        }
    }
}
