// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import FuzzSupport
import Kit
import TestSupport

/// Mutated signed manifests must be refused, or say exactly what was signed.
@main
enum SignedManifestFuzz {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let app = "org.example.game"

    static func main() throws {
        let old = try key("MC4CAQAwBQYDK2VwBCIEIMuga1c2+vZ+VLB7Vh6ulDled0xRen2RClQ2nhJjzPvU")
        let new = try key("MC4CAQAwBQYDK2VwBCIEIBFQeg4vXmnV36QKYqG9e27lfmvNhcZ8m4Qxs2//IcQ3")
        let anchor = ManifestKeySet(version: 1, app: app, root: try role(old), manifest: try role(old))
        let next = ManifestKeySet(
            version: 2, app: app, root: try role(new), manifest: try role(new), generationFrom: 5)
        let publication = ManifestPublication(
            app: app, platforms: ["Linux", "iOS"], generation: 7, signed: now,
            expires: Timestamp(seconds: now.seconds + 86_400))
        let content = try JSONParser.parse(packs).value
        var plain = SignedManifest(content)
        try plain.sign(publication, with: [old])
        var rotated = SignedManifest(content)
        try rotated.append(next, signedBy: [old, new])
        try rotated.sign(publication, with: [new])
        let good = [try plain.message, try rotated.message]
        let verifier = ManifestVerifier(anchor: anchor, platform: .linux, channel: nil, now: now)
        let words = [
            "larder", "publication", "signatures", "keys", "key", "value", "version", "app", "root", "manifest",
            "threshold",
            "generation", "generationFrom", "signed", "expires", "platforms", "channel", "1", "0", "-1",
            "9007199254740991",
            "9007199254740992", "1e16", "0.5", "null", "[]", "{}", app, "Linux", old.publicKey.text, new.publicKey.text,
            "2030-01-01T00:00:00Z", "\\u0000", "\\ud83d\\ude00",
        ]
        let corpus = [plain, rotated].flatMap { manifest in
            [JSONValue.Style.compact, .pretty].map { Array(manifest.document.serialized($0).utf8) }
        }
        for input in corpus {
            let refusal = verifier.verify(try SignedManifest(input, source: "S.json"), remembered: nil).refusal
            try Finding.require(refusal == nil, "a good manifest is refused: \(String(describing: refusal))")
        }
        try Fuzzer(name: "fuzz-signed-manifest").run(
            corpus: corpus, dictionary: words.map { Array($0.utf8) }
        ) { input, _ in
            guard let manifest = try? SignedManifest(input, source: "S.json") else { return }
            let verdict = verifier.verify(manifest, remembered: nil)
            try Finding.require(
                verdict.trust.keySet == anchor || verdict.trust.keySet == next, "keys that nobody handed over to")
            if verdict.refusal == nil {
                try Finding.require(good.contains(try manifest.message), "a manifest that nobody signed")
            } else {
                try Finding.require(verdict.refusal?.message.isEmpty == false, "a refusal without words")
            }
        }
    }

    private static func key(_ text: String) throws -> Ed25519PrivateKey {
        let pem = "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n"
        return try Ed25519PrivateKey(pem: Array(pem.utf8))
    }

    private static func role(_ key: Ed25519PrivateKey) throws -> ManifestKeyRole {
        try ManifestKeyRole(keys: [key.publicKey])
    }

    private static let packs = """
        {"assetPacks":[{"id":"a","url":"https://h/a","version":7,"downloadSize":1,"userInfo":{"x":1.5,"ü":"\\n"},
        "downloadPolicy":{"onDemand":{}},"larder":{"digest":{"algorithm":"sha256-tree-1m",
        "value":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"},"installedSize":99,"fileCount":2}}]}
        """
}
