// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What a device remembers of an app's manifests: the keys that it got to, and the newest generation.
package struct ManifestTrust: Hashable, Sendable {
    package var keySet: ManifestKeySet
    /// The fingerprints of the sets that led to `keySet`, from the one in the app's bundle on.
    package var path: [String]
    /// Older generations are refused.
    package var leastGeneration: Int64

    /// - Parameter earlier: what was remembered while the app's bundle had other keys. Its generation still holds, unless
    ///   the new keys say where to begin.
    package init(anchor: ManifestKeySet, earlier: ManifestTrust? = nil) {
        keySet = anchor
        path = [anchor.fingerprint]
        leastGeneration = anchor.generationFrom ?? earlier?.leastGeneration ?? 0
    }

    /// What counts for an app whose bundle has those keys: what is remembered, if it comes from them.
    package static func current(_ remembered: ManifestTrust?, anchor: ManifestKeySet) -> ManifestTrust {
        if let remembered, remembered.keySet.app == anchor.app, remembered.path.contains(anchor.fingerprint) {
            var trust = remembered
            // The same keys in a newer bundle may begin later; where other keys followed, those say where they begin.
            if let from = anchor.generationFrom, remembered.path.last == anchor.fingerprint {
                trust.leastGeneration = max(trust.leastGeneration, from)
            }
            return trust
        }
        return ManifestTrust(anchor: anchor, earlier: remembered)
    }

    mutating func adopt(_ keySet: ManifestKeySet) {
        self.keySet = keySet
        path.append(keySet.fingerprint)
        if let generation = keySet.generationFrom { leastGeneration = generation }
    }
}

extension ManifestTrust: Codable {
    private enum CodingKeys: String, CodingKey { case keys, path, generation }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        keySet = try ManifestKeySet(try container.decode(JSONValue.self, forKey: .keys))
        path = try container.decode([String].self, forKey: .path)
        leastGeneration = try container.decode(Int64.self, forKey: .generation)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keySet.json, forKey: .keys)
        try container.encode(path, forKey: .path)
        try container.encode(leastGeneration, forKey: .generation)
    }
}
