// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

/// Which build a channel installs: the one that was released last.
enum BuildReleases {
    /// - Throws: `DatabaseError`
    static func live(
        _ app: String, _ channel: Channel, _ platform: Platform, in store: borrowing Connection
    ) throws -> ResourceRecord? {
        let releases = try store.records(
            .buildReleases,
            where: [
                "app": .text(app), "channel": .text(channel.rawValue), "platform": .text(platform.rawValue),
            ])
        // A build that was let expire is installed no more; what was live before it is again.
        for release in releases.reversed() {
            if let id = release.text("build"), let build = try store.record(.builds, id), !build.flag("expired") {
                return build
            }
        }
        return nil
    }

    /// Makes a build the one that the channel installs.
    /// - Throws: `DatabaseError`
    static func release(
        _ build: ResourceRecord, _ channel: Channel, platform: String, now: String, in store: borrowing Connection
    ) throws -> ResourceRecord {
        let release = ResourceRecord(
            .buildReleases, id: Identifier.random(), app: build.app,
            values: [
                "app": .string(build.app), "channel": .string(channel.rawValue), "createdDate": .string(now),
                "platform": .string(platform), "build": .string(build.id),
            ])
        try store.insert(release)
        return release
    }
}
