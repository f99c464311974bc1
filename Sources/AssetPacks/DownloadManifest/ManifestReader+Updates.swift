// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension ManifestReader {
    private static let digestExample = "<64 hexadecimal digits>"

    /// A SHA-256 or tree digest, in lower case.
    func digest(_ node: JSONNode, _ what: String) throws -> String {
        let value = try string(node, what, example: Self.digestExample).lowercased()
        guard value.utf8.count == 64, value.utf8.allSatisfy(Self.isHexadecimal) else {
            throw error(node.position, "\(what) must be 64 hexadecimal digits")
        }
        return value
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// Where something that belongs to a pack is.
    func url(_ node: JSONNode, _ what: String, plainLoopback: Bool) throws -> String {
        let url = try string(node, what, example: "https://cdn.example.com/packs/Tutorial")
        if let problem = DownloadURL.problem(with: url, allowingPlainLoopback: plainLoopback) {
            throw error(node.position, "\(what): \"\(url.prefix(200))\" \(problem)")
        }
        return url
    }

    /// The index of an archive.
    func updateIndex(_ node: JSONNode, _ what: String, plainLoopback: Bool) throws
        -> DownloadManifestPack.LarderInfo.UpdateFile
    {
        let object = try updateObject(node, what)
        var file = try updateFile(object, plainLoopback: plainLoopback)
        file.front = try object.optional("front").map { try front($0, object.path("front"), ofFileOf: file.size) }
        return file
    }

    private func front(_ node: JSONNode, _ what: String, ofFileOf size: Int64) throws
        -> DownloadManifestPack.LarderInfo.UpdateFile.Front
    {
        let object = try object(node, what, keys: [], example: "{\"size\": 1, \"sha256\": \"...\"}")
        return .init(
            size: try integer(try object.required("size", example: "3412"), object.path("size"), in: 1...size),
            sha256: try digest(
                try object.required("sha256", example: "\"\(Self.digestExample)\""), object.path("sha256")))
    }

    /// The index, or a list that is fetched in its place.
    private func updateObject(_ node: JSONNode, _ what: String) throws -> ManifestObject {
        try object(node, what, keys: [], example: "{\"url\": \"...\", \"size\": 1, \"sha256\": \"...\"}")
    }

    func patches(_ node: JSONNode, _ what: String, plainLoopback: Bool) throws -> [DownloadManifestPack.LarderInfo
        .Patch]
    {
        let nodes = try array(node, what, example: "[{\"from\": 3, \"base\": \"...\", ...}]")
        guard nodes.count <= DownloadManifestPack.LarderInfo.maximumPatchCount else {
            throw error(
                node.position,
                "\(what) lists \(nodes.count) patches, more than the \(DownloadManifestPack.LarderInfo.maximumPatchCount) allowed"
            )
        }
        var bases: Set<String> = []
        return try nodes.enumerated().map { number, node in
            let object = try object(
                node, "\(what)[\(number)]", keys: [], example: "{\"from\": 3, \"base\": \"...\", ...}")
            let baseNode = try object.required("base", example: "\"\(Self.digestExample)\"")
            let base = try digest(baseNode, object.path("base"))
            guard bases.insert(base).inserted else {
                throw error(baseNode.position, "\(object.path("base")): another patch starts from the same archive")
            }
            return DownloadManifestPack.LarderInfo.Patch(
                from: Int(
                    try integer(
                        try object.required("from", example: "3"), object.path("from"), in: 0...(Int64.max - 1))),
                base: base, file: try updateFile(object, plainLoopback: plainLoopback),
                list: try object.optional("list").map {
                    try updateFile(updateObject($0, object.path("list")), plainLoopback: plainLoopback)
                })
        }
    }

    private func updateFile(_ object: ManifestObject, plainLoopback: Bool) throws
        -> DownloadManifestPack.LarderInfo.UpdateFile
    {
        .init(
            url: try url(
                try object.required("url", example: "\"https://cdn.example.com/packs/Tutorial.index\""),
                object.path("url"), plainLoopback: plainLoopback),
            size: try integer(
                try object.required("size", example: "48211"), object.path("size"),
                in: 1...DownloadManifestPack.LarderInfo.UpdateFile.maximumSize),
            sha256: try digest(
                try object.required("sha256", example: "\"\(Self.digestExample)\""), object.path("sha256")))
    }
}
