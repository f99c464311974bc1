// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit

/// A publisher with keys, for one app, and what its devices think of what it publishes.
struct Publisher {
    static let app = "org.example.game"
    static let now = Timestamp(seconds: 1_800_000_000)

    let root: Ed25519PrivateKey
    let signer: Ed25519PrivateKey
    var keySet: ManifestKeySet

    init() throws {
        root = try Ed25519PrivateKey()
        signer = try Ed25519PrivateKey()
        keySet = ManifestKeySet(
            version: 1, app: Self.app, root: try .of([root]), manifest: try .of([signer]))
    }

    var verifier: ManifestVerifier {
        ManifestVerifier(anchor: keySet, platform: .linux, channel: nil, now: Self.now)
    }

    static func publication(_ generation: Int64, days: Int64 = 30) -> ManifestPublication {
        ManifestPublication(
            app: app, platforms: ["Linux"], generation: generation, signed: now,
            expires: Timestamp(seconds: now.seconds + days * 86_400))
    }

    static let content: JSONValue = [
        "assetPacks": [
            [
                "id": "Tutorial", "url": "https://cdn.example.com/Tutorial", "version": 3, "downloadSize": 512,
                "downloadPolicy": ["onDemand": [:]], "userInfo": ["größe": 1.5, "name": "\u{1}\"x\\"],
                "larder": [
                    "digest": ["algorithm": "sha256-tree-1m", "value": .string(String(repeating: "0a", count: 32))],
                    "installedSize": 99, "fileCount": 2,
                ],
            ]
        ]
    ]

    func manifest(
        _ generation: Int64 = 7, by keys: [Ed25519PrivateKey]? = nil,
        _ change: (inout ManifestPublication) -> Void = { _ in }
    ) throws -> SignedManifest {
        var publication = Self.publication(generation)
        change(&publication)
        var manifest = SignedManifest(Self.content)
        try manifest.sign(publication, with: keys ?? [signer])
        return manifest
    }
}

extension ManifestKeyRole {
    static func of(_ keys: [Ed25519PrivateKey], threshold: Int = 1) throws -> ManifestKeyRole {
        try ManifestKeyRole(keys: keys.map(\.publicKey), threshold: threshold)
    }
}
