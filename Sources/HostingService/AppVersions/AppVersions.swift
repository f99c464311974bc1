// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// The steps of an app's version in the App Store, each part of one transaction.
enum AppVersions {
    /// A version whose content may be changed: before its review, or after it was rejected.
    /// - Throws: `APIError`, `DatabaseError`
    static func editable(_ id: String, for caller: Caller, in store: borrowing Connection) throws -> ResourceRecord {
        let version = try store.require(.appStoreVersions, id, for: caller)
        guard version.state(AppVersionState.self, in: "appVersionState")?.isEditable == true else {
            throw APIError.state("A version in the state \(version.text("appVersionState") ?? "") stays as it is.")
        }
        return version
    }

    /// - Throws: `APIError` when the app has that version, or another one is on its way.
    static func checkIsNew(_ version: ResourceRecord, in store: borrowing Connection) throws {
        for other in try store.records(
            .appStoreVersions,
            where: ["app": .text(version.app), "platform": .text(version.text("platform") ?? "")])
        where other.id != version.id {
            if other.text("versionString") == version.text("versionString") {
                throw APIError.attribute(
                    "INVALID.DUPLICATE", "versionString", "The app has this version for this platform already.")
            }
            guard other.state(AppVersionState.self, in: "appVersionState")?.wasApproved == true else {
                throw APIError.state(
                    "STATE_ERROR.VERSION_IN_PREPARATION",
                    "Version \(other.text("versionString") ?? "") of this platform is on its way. One is at a time.")
            }
        }
    }

    /// Makes a build the one that the version brings; none when it is nil.
    /// - Throws: `APIError`, `DatabaseError`
    static func choose(
        _ build: ResourceRecord?, for version: inout ResourceRecord, in store: borrowing Connection
    ) throws {
        if let build {
            let short = try build.text("preReleaseVersion").flatMap { try store.record(.preReleaseVersions, $0) }
            guard build.app == version.app, build.text("processingState") == "VALID", !build.flag("expired"),
                short?.text("platform") == version.text("platform")
            else {
                throw APIError.relationship(
                    "INVALID", "build", "The version needs a build of its own app and platform that has not expired.")
            }
            guard short?.text("version") == version.text("versionString") else {
                throw APIError.relationship(
                    "INVALID", "build",
                    "The build is one of version \(short?.text("version") ?? ""), and this is "
                        + "\(version.text("versionString") ?? "").")
            }
        }
        if var before = try version.text("build").flatMap({ try store.record(.builds, $0) }) {
            before["appStoreVersion"] = nil
            try store.update(before)
        }
        if var build {
            build["appStoreVersion"] = .string(version.id)
            try store.update(build)
        }
        version["build"] = build.map { .string($0.id) }
        try store.update(version)
    }

    /// - Throws: `IllegalStep`, `DatabaseError`
    static func step(
        _ version: inout ResourceRecord, _ event: AppVersionState.Event, in store: borrowing Connection
    ) throws {
        try version.step(AppVersionState.self, event, in: "appVersionState")
        version["appStoreState"] = version.state(AppVersionState.self, in: "appVersionState").map {
            .string($0.storeState)
        }
        try store.update(version)
    }

    /// The version is approved: everybody installs its build, and the one before is replaced.
    /// - Throws: `IllegalStep`, `DatabaseError`
    static func goLive(_ id: String, now: String, in store: borrowing Connection) throws {
        guard let version = try store.record(.appStoreVersions, id) else { return }
        let platform = version.text("platform") ?? ""
        for var other in try store.records(
            .appStoreVersions,
            where: [
                "app": .text(version.app), "platform": .text(platform),
                "appVersionState": .text(AppVersionState.readyForDistribution.rawValue),
            ])
        where other.id != version.id { try step(&other, .superseded, in: store) }
        guard let build = try version.text("build").flatMap({ try store.record(.builds, $0) }) else { return }
        _ = try BuildReleases.release(build, .appStore, platform: platform, now: now, in: store)
    }

    /// Whether packs of the app can only go with a version of it: it has versions in the App Store, and none was approved yet.
    /// - Throws: `DatabaseError`
    static func isFirstOnItsWay(of app: String, in store: borrowing Connection) throws -> Bool {
        let versions = try store.records(.appStoreVersions, where: ["app": .text(app)])
        return !versions.isEmpty
            && !versions.contains { $0.state(AppVersionState.self, in: "appVersionState")?.wasApproved == true }
    }
}
