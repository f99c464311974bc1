// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import FuzzSupport
import Kit
import TestSupport

/// Mutated download manifests must end in one that is within every limit and is written back as it was read, or in one
/// message that names source and line.
@main
enum DownloadManifestFuzz {
    static func main() throws {
        let words = [
            "assetPacks", "id", "url", "version", "downloadSize", "downloadPolicy", "host", "userInfo", "language",
            "larder",
            "digest", "installedSize", "fileCount", "index", "front", "patches", "from", "base", "sha256", "size",
            "https://",
            "http://127.0.0.1", "[::1]", "@", "-1", "1e99",
            "9223372036854775807", "9223372036854775808", "null", "{}", "\\ud800",
        ]
        try Fuzzer(name: "fuzz-download-manifest").run(
            corpus: corpus, dictionary: words.map { Array($0.utf8) }
        ) { input, _ in try check(input) }
    }

    private static let corpus: [[UInt8]] = [
        """
        {"assetPacks":[{"id":"Tutorial","url":"https://cdn.example.com/packs/Tutorial","version":0,"downloadSize":596,
        "downloadPolicy":{"onDemand":{}},"host":{"thirdParty":{}},"userInfo":{}}]}
        """,
        """
        {"assetPacks":[{"id":"a","url":"https://h:8443/a?b#c","version":7,"downloadSize":1,"language":"en-GB","note":[1],
        "downloadPolicy":{"prefetch":{"installationEventTypes":["firstInstallation","subsequentUpdate"]}},
        "larder":{"digest":{"algorithm":"sha256-tree-1m","value":"\(String(repeating: "0a", count: 32))"},
        "installedSize":99,"fileCount":2,"more":null,"index":{"url":"https://h/a.index","size":7,
        "sha256":"\(String(repeating: "0b", count: 32))","front":{"size":6,"sha256":"\(String(repeating: "0e", count: 32))"}},"patches":[{"from":6,"base":"\(String(repeating: "0c", count: 32))",
        "url":"https://h/a.from-6.patch","size":8,"sha256":"\(String(repeating: "0d", count: 32))"}]}},{"id":"b","url":"https://h/b","version":1,"downloadSize":0,
        "downloadPolicy":{"essential":{"installationEventTypes":["firstInstallation"]}}}],"larder":{"x":1.5},"other":true}
        """,
    ].map { Array($0.utf8) }

    private static func check(_ input: [UInt8]) throws {
        do {
            let manifest = try DownloadManifest.decode(input, source: "D.json")
            var size: Int64 = 0
            for pack in manifest.assetPacks {
                try Finding.require(AssetPackIdentifier.problem(with: pack.id) == nil, "a wrong identifier: \(pack.id)")
                try Finding.require(DownloadURL.isEncrypted(pack.url), "a wrong URL: \(pack.url)")
                try Finding.require(pack.version >= 0 && pack.downloadSize >= 0, "a negative number")
                let (sum, overflow) = size.addingReportingOverflow(pack.downloadSize)
                try Finding.require(!overflow, "sizes that overflow")
                size = sum
                try Finding.require((pack.larder?.digest.value.utf8.count ?? 64) == 64, "a wrong digest")
                if let index = pack.larder?.index, let front = index.front {
                    try Finding.require((1...index.size).contains(front.size), "a front that is no part of its file")
                    try Finding.require(front.sha256.utf8.count == 64, "a wrong digest of a front")
                }
            }
            try Finding.require(
                Set(manifest.assetPacks.map(\.id)).count == manifest.assetPacks.count, "an identifier twice")
            let again = try DownloadManifest.decode(manifest.serialized, source: "D.json")
            try Finding.require(again == manifest, "not read back as written")
        } catch let error as AssetPackError {
            try Finding.require(error.message.hasPrefix("D.json:"), "a message without its place: \(error.message)")
        }
    }
}
