// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What a signed manifest is, beside its packs: whose, which in a row, and for how long.
package struct ManifestPublication: Hashable, Sendable {
    package var app: String
    /// The platforms that it is for, as asset packs name them.
    package var platforms: [String]
    /// The channel of a hosting service; nil for a manifest that no channel has.
    package var channel: String?
    /// From 0; rises with each publication.
    package var generation: Int64
    package var signed: Timestamp
    package var expires: Timestamp

    package init(
        app: String, platforms: [String], channel: String? = nil, generation: Int64, signed: Timestamp,
        expires: Timestamp
    ) {
        self.app = app
        self.platforms = platforms
        self.channel = channel
        self.generation = generation
        self.signed = signed
        self.expires = expires
    }

    /// - Throws: `ManifestRefusal`
    package init(_ value: JSONValue) throws {
        func wrong(_ key: String, _ right: String) -> ManifestRefusal {
            ManifestRefusal(.format, "\"\(key)\" of the manifest's \"publication\" must be \(right).")
        }
        guard let app = value["app"]?.stringValue else { throw wrong("app", "the app's bundle id") }
        guard let names = value["platforms"]?.arrayValue, names.count <= 16, !names.isEmpty,
            names.allSatisfy({ $0.stringValue != nil })
        else { throw wrong("platforms", "an array of platforms such as [\"Linux\"]") }
        guard let generation = value["generation"]?.integerValue,
            (0...CanonicalJSON.largestInteger).contains(generation)
        else { throw wrong("generation", "a whole number from 0 to \(CanonicalJSON.largestInteger)") }
        func time(_ key: String) throws -> Timestamp {
            guard let time = value[key]?.stringValue.flatMap({ Timestamp(rfc3339: $0) }) else {
                throw wrong(key, "a time such as 2030-01-31T00:00:00Z")
            }
            return time
        }
        let channel = value["channel"]
        guard channel == nil || channel?.stringValue != nil else { throw wrong("channel", "a string") }
        self.init(
            app: app, platforms: names.compactMap { $0.stringValue }, channel: channel?.stringValue,
            generation: generation,
            signed: try time("signed"), expires: try time("expires"))
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "app": .string(app), "platforms": .array(platforms.map { .string($0) }), "generation": .integer(generation),
            "signed": .string(Self.text(of: signed)), "expires": .string(Self.text(of: expires)),
        ]
        members["channel"] = channel.map { .string($0) }
        return .object(members)
    }

    /// In UTC, to the second: `2026-01-31T12:00:00Z`.
    package static func text(of time: Timestamp) -> String { time.formatted.prefix { $0 != "." } + "Z" }
}
