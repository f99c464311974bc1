// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Languages

extension DownloadManifest {
    /// Reads and checks a download manifest from a server or a file, of which nothing is believed.
    /// - Parameters:
    ///   - source: names the file or URL in messages.
    ///   - allowingPlainLoopback: also take http URLs of this machine, for a developer's own server.
    /// - Throws: `AssetPackError` that names source, line and key.
    package static func decode(
        _ bytes: some Sequence<UInt8>, source: String, allowingPlainLoopback: Bool = false
    ) throws -> DownloadManifest {
        let reader = ManifestReader(source: source, code: .invalidDownloadManifest, isStrict: false)
        let bytes = bytes as? [UInt8] ?? Array(bytes.prefix(maximumSize + 1))
        guard bytes.count <= maximumSize else {
            throw AssetPackError(
                .invalidDownloadManifest, "\(source): larger than the \(maximumSize >> 20) MiB of a download manifest.")
        }
        let root = try reader.object(
            try reader.parse(bytes, allowsComments: false), "", keys: [], example: "{\"assetPacks\": []}")
        let list = try root.required("assetPacks", example: "[]")
        let nodes = try reader.array(list, "assetPacks", example: "[{\"id\": \"Tutorial\", ...}]")
        guard nodes.count <= maximumPackCount else {
            throw reader.error(
                list.position, "assetPacks holds \(nodes.count) packs, more than the \(maximumPackCount) allowed")
        }
        var packs: [DownloadManifestPack] = []
        var places: [String: JSONPosition] = [:]
        for (index, node) in nodes.enumerated() {
            let pack = try reader.downloadManifestPack(
                node, "assetPacks[\(index)]", plainLoopback: allowingPlainLoopback)
            if let earlier = places.updateValue(node.position, forKey: pack.id) {
                throw reader.error(
                    node.position, "assetPacks[\(index)].id: \"\(pack.id)\" already stands at line \(earlier.line)")
            }
            packs.append(pack)
        }
        return DownloadManifest(
            assetPacks: packs, larder: root.optional("larder")?.value,
            other: root.others(than: ["assetPacks", "larder"]))
    }
}

extension ManifestObject {
    func others(than known: Set<String>) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        for member in members where !known.contains(member.key) { result[member.key] = member.value.value }
        return result
    }
}

extension ManifestReader {
    /// Sizes up to 256 TiB: sums over all packs of a manifest cannot overflow.
    static let sizes: ClosedRange<Int64> = 0...(1 << 48)

    fileprivate func downloadManifestPack(
        _ node: JSONNode, _ what: String, plainLoopback: Bool
    ) throws -> DownloadManifestPack {
        let object = try object(node, what, keys: [], example: "{\"id\": \"Tutorial\", ...}")
        let url = try url(
            try object.required("url", example: "\"https://cdn.example.com/packs/Tutorial\""), object.path("url"),
            plainLoopback: plainLoopback)
        let userInfo = object.optional("userInfo").flatMap { $0.value == .null ? nil : $0 }
        if let userInfo, userInfo.value.objectValue == nil {
            throw error(
                userInfo.position, "\(object.path("userInfo")) must be an object, not \(userInfo.kindName)")
        }
        return DownloadManifestPack(
            id: try assetPackID(try object.required("id", example: "\"Tutorial\""), object.path("id")),
            url: url,
            version: Int(
                try integer(
                    try object.required("version", example: "0"), object.path("version"), in: 0...(Int64.max - 1))),
            downloadSize: try integer(
                try object.required("downloadSize", example: "596"), object.path("downloadSize"), in: Self.sizes),
            downloadPolicy: try downloadPolicy(
                try object.required("downloadPolicy", example: "{\"onDemand\": {}}"), object.path("downloadPolicy")),
            host: try object.optional("host").map { try host($0, object.path("host")) }
                ?? DownloadManifestPack.thirdPartyHost,
            userInfo: userInfo?.value,
            language: try object.optional("language").flatMap {
                $0.value == .null ? nil : try language($0, object.path("language")).description
            },
            larder: try object.optional("larder").map {
                try larderInfo($0, object.path("larder"), plainLoopback: plainLoopback)
            },
            other: object.others(than: [
                "id", "url", "version", "downloadSize", "downloadPolicy", "host", "userInfo", "language", "larder",
            ]))
    }

    private func host(_ node: JSONNode, _ what: String) throws -> JSONValue {
        _ = try object(node, what, keys: [], example: "{\"thirdParty\": {}}")
        return node.value
    }

    private func larderInfo(_ node: JSONNode, _ what: String, plainLoopback: Bool) throws
        -> DownloadManifestPack.LarderInfo
    {
        let object = try object(
            node, what, keys: [], example: "{\"digest\": {...}, \"installedSize\": 0, \"fileCount\": 0}")
        let digestNode = try object.required(
            "digest", example: "{\"algorithm\": \"sha256-tree-1m\", \"value\": \"...\"}")
        let digest = try self.object(
            digestNode, object.path("digest"), keys: [],
            example: "{\"algorithm\": \"sha256-tree-1m\", \"value\": \"...\"}")
        let algorithmNode = try digest.required("algorithm", example: "\"sha256-tree-1m\"")
        let algorithm = try string(algorithmNode, digest.path("algorithm"), example: "sha256-tree-1m")
        guard algorithm == DownloadManifestPack.LarderInfo.Digest.treeAlgorithm else {
            throw error(
                algorithmNode.position,
                "\(digest.path("algorithm")): \"\(algorithm.prefix(40))\" is not known; \"sha256-tree-1m\" is")
        }
        let value = try self.digest(
            try digest.required("value", example: "\"<64 hexadecimal digits>\""), digest.path("value"))
        return DownloadManifestPack.LarderInfo(
            digest: .init(algorithm: algorithm, value: value),
            installedSize: try integer(
                try object.required("installedSize", example: "1048576"), object.path("installedSize"), in: Self.sizes),
            fileCount: Int(
                try integer(
                    try object.required("fileCount", example: "12"), object.path("fileCount"), in: 0...(1 << 40))),
            index: try object.optional("index").map {
                try updateIndex($0, object.path("index"), plainLoopback: plainLoopback)
            },
            patches: try object.optional("patches").map {
                try patches($0, object.path("patches"), plainLoopback: plainLoopback)
            } ?? [],
            other: object.others(than: ["digest", "installedSize", "fileCount", "index", "patches"]))
    }
}
