// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit

/// Reads and checks `LarderManifestKeys`: the keys that sign the app's manifests.
enum ManifestKeysCheck {
    static let key = "LarderManifestKeys"
    private static let members = ["Keys", "Threshold", "RootKeys", "RootThreshold", "Version", "GenerationFrom"]

    static func read(_ reader: inout KeyReader) -> PinnedManifestKeys? {
        for other in reader.values.keys.sorted() where other.hasPrefix("LarderManifest") && other != key {
            reader.note(.error, other, "There is no such key, so manifests would not be checked.", "Name it \(key).")
        }
        guard let values = reader.dictionary(key) else { return nil }
        var inner = KeyReader(values, prefix: reader.prefix + key + ".")
        let keys = read(from: &inner)
        reader.add(inner.findings)
        return keys
    }

    private static func read(from reader: inout KeyReader) -> PinnedManifestKeys? {
        for other in reader.values.keys.sorted() where !members.contains(other) {
            let meant = Spelling.closest(to: other, among: members)
            reader.note(
                .error, other, "There is no such key.",
                meant.map { "Did you mean \($0)?" } ?? "Known are \(members.joined(separator: ", ")).")
        }
        if !reader.has("Keys") {
            reader.note(
                .error, "Keys", "It is missing.",
                "Add an array with the public keys that `ba-package keys create` printed.")
        }
        let manifest = role("Keys", "Threshold", &reader)
        let root = reader.has("RootKeys") ? role("RootKeys", "RootThreshold", &reader) : manifest
        if !reader.has("RootKeys"), reader.has("RootThreshold") {
            reader.note(
                .error, "RootThreshold", "It has no meaning without RootKeys.", "Add RootKeys, or leave it out.")
        }
        let version = number("Version", from: 1, &reader) ?? 1
        let generation = number("GenerationFrom", from: 0, &reader)
        guard let manifest, let root else { return nil }
        return PinnedManifestKeys(version: version, root: root, manifest: manifest, generationFrom: generation)
    }

    private static func role(
        _ name: String, _ thresholdName: String, _ reader: inout KeyReader
    ) -> ManifestKeyRole? {
        let threshold = number(thresholdName, from: 1, &reader) ?? 1
        guard let texts = reader.strings(name) else { return nil }
        var keys: [Ed25519PublicKey] = []
        for text in texts {
            guard let key = Ed25519PublicKey(text: text) else {
                reader.note(
                    .error, name, "\"\(text)\" is no public key.",
                    "Write one as `ba-package keys show` prints it: ed25519: and 43 letters, digits, - and _.")
                return nil
            }
            keys.append(key)
        }
        if let problem = ManifestKeyRole.problem(keys, threshold: Int(clamping: threshold)) {
            reader.note(.error, name, "It \(problem).", "Correct it, or \(thresholdName).")
        }
        return try? ManifestKeyRole(keys: keys, threshold: Int(clamping: threshold))
    }

    private static func number(_ key: String, from least: Int64, _ reader: inout KeyReader) -> Int64? {
        guard let value = reader.values[key] else { return nil }
        let range = least...CanonicalJSON.largestInteger
        guard case .integer(let number) = value, range.contains(number) else {
            reader.note(
                .error, key, "It must be a whole number from \(least) to \(range.upperBound).",
                "Write <integer>\(least)</integer> or more.")
            return nil
        }
        return number
    }
}
