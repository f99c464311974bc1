// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Database
internal import HostingModel
package import Kit

extension HostAdministration {
    /// Serves these sets of keys with the app's manifests, in place of those before.
    /// - Parameter sets: as they stand in a signed manifest, oldest first; empty takes all away.
    /// - Returns: the version of the newest; nil without any.
    /// - Throws: `HostingError` when there is no such app; `ManifestRefusal` when one does not hand over to the next
    @discardableResult
    package func setManifestKeys(_ sets: [JSONValue], bundleID: String) async throws -> Int64? {
        guard sets.count <= SignedManifest.maximumKeySetCount else {
            throw ManifestRefusal(.keys, "There are more than \(SignedManifest.maximumKeySetCount) sets of keys.")
        }
        var last: ManifestKeySet?
        for set in sets { last = try last?.successor(set) ?? ManifestKeySet(set) }
        if let last, last.app != bundleID {
            throw ManifestRefusal(.keys, "These are keys of \(last.app), not of \(bundleID).")
        }
        try await database.write { store in
            try store.setManifestKeySets(sets, app: try store.app(bundleID).id)
        }
        return last?.version
    }

    /// The sets of keys that are served with the app's manifests, oldest first.
    /// - Throws: `HostingError` when there is no such app; `DatabaseError`
    package func manifestKeys(bundleID: String) async throws -> [JSONValue] {
        try await database.read { store in try store.manifestKeySets(try store.app(bundleID).id) }
    }
}

extension Connection {
    fileprivate func app(_ bundleID: String) throws -> ResourceRecord {
        guard let app = try records(.apps, where: ["bundleId": .text(bundleID)]).first else {
            throw HostingError(
                .notFound, "There is no app \"\(bundleID)\". Make it first: larder-host app create \(bundleID)")
        }
        return app
    }
}
