// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
package import Kit

/// The keys that count for an app's manifests at one time, with those that may hand over to the next set.
package struct ManifestKeySet: Hashable, Sendable {
    /// From 1; each set's is one more than that of the set which hands over to it.
    package var version: Int64
    package var app: String
    /// Hands over to the next set.
    package var root: ManifestKeyRole
    /// Signs manifests.
    package var manifest: ManifestKeyRole
    /// Where generations begin anew with this set: what was accepted before is forgotten, and anything below is refused.
    package var generationFrom: Int64?
    /// When the set is no longer to be believed, even while no other is seen.
    package var expires: Timestamp?

    package init(
        version: Int64, app: String, root: ManifestKeyRole, manifest: ManifestKeyRole, generationFrom: Int64? = nil,
        expires: Timestamp? = nil
    ) {
        self.version = version
        self.app = app
        self.root = root
        self.manifest = manifest
        self.generationFrom = generationFrom
        self.expires = expires
    }

    private static let context = "larder-keys-1\n"

    /// - Throws: `ManifestRefusal`
    package init(_ value: JSONValue) throws {
        guard let version = value["version"]?.integerValue, (1...CanonicalJSON.largestInteger).contains(version),
            let app = value["app"]?.stringValue
        else {
            throw ManifestRefusal(.keys, "A set of keys for manifests lacks a \"version\" from 1 on or an \"app\".")
        }
        self.version = version
        self.app = app
        root = try ManifestKeyRole(value["root"])
        manifest = try ManifestKeyRole(value["manifest"])
        generationFrom = try value["generationFrom"].map { value in
            guard let generation = value.integerValue, (0...CanonicalJSON.largestInteger).contains(generation) else {
                throw ManifestRefusal(.keys, "\"generationFrom\" of a set of keys must be a whole number from 0 on.")
            }
            return generation
        }
        expires = try value["expires"].map { value in
            guard let time = value.stringValue.flatMap({ Timestamp(rfc3339: $0) }) else {
                throw ManifestRefusal(
                    .keys, "\"expires\" of a set of keys must be a time such as 2030-01-31T00:00:00Z.")
            }
            return time
        }
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "version": .integer(version), "app": .string(app), "root": root.json, "manifest": manifest.json,
        ]
        members["generationFrom"] = generationFrom.map { .integer($0) }
        members["expires"] = expires.map { .string(ManifestPublication.text(of: $0)) }
        return .object(members)
    }

    /// Tells sets apart by version and keys, in whatever order these stand.
    package var fingerprint: String {
        func sorted(_ role: ManifestKeyRole) -> [String] { role.keys.map(\.text).sorted() }
        let parts =
            ["\(version)", "\(root.threshold)"] + sorted(root) + ["\(manifest.threshold)"] + sorted(manifest)
        return SHA256.hash(Array(parts.joined(separator: "\n").utf8)).hex
    }

    /// What the signatures of a set, written as `value`, are made over.
    /// - Throws: `ManifestRefusal`
    package static func message(_ value: JSONValue) throws -> [UInt8] {
        Array(context.utf8) + (try CanonicalJSON.bytes(of: value.removing("signatures")))
    }

    /// The set that `value` describes, if this one hands over to it: enough root keys of both signed it.
    /// - Throws: `ManifestRefusal`
    package func successor(_ value: JSONValue) throws -> ManifestKeySet {
        let next = try ManifestKeySet(value)
        guard next.app == app else {
            throw ManifestRefusal(.keys, "The manifest brings keys of \(next.app), which say nothing about \(app).")
        }
        guard next.version == version + 1 else {
            throw ManifestRefusal(
                .keys,
                "The manifest of \(app) brings version \(next.version) of its keys where version \(version + 1) "
                    + "is due. "
                    + "Publish it with all versions of the keys, in order.")
        }
        let message = try Self.message(value)
        let signatures = try ManifestSignature.list(value["signatures"])
        guard root.isMet(by: signatures, of: message), next.root.isMet(by: signatures, of: message) else {
            throw ManifestRefusal(
                .keys,
                "Version \(next.version) of the keys for the manifest of \(app) is not signed by enough root keys "
                    + "of the version "
                    + "before it and of its own. If the publisher did not do this, somebody else tries to take "
                    + "the app over."
            )
        }
        return next
    }
}

extension JSONValue {
    /// Without that member, when this is an object.
    func removing(_ key: String) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[key] = nil
        return .object(members)
    }
}
