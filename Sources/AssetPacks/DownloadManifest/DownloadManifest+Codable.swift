// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

// Both go through their JSON, so that what is stored is what is served, and what is read is checked.

extension DownloadManifest: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try JSONValue(from: decoder).serialized()
        self = try DownloadManifest.decode(text.utf8, source: "download manifest", allowingPlainLoopback: true)
    }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension DownloadManifestPack: Codable {
    package init(from decoder: any Decoder) throws {
        let manifest: JSONValue = ["assetPacks": [try JSONValue(from: decoder)]]
        let decoded = try DownloadManifest.decode(
            manifest.serialized().utf8, source: "download manifest", allowingPlainLoopback: true)
        guard let pack = decoded.assetPacks.first else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no pack"))
        }
        self = pack
    }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
