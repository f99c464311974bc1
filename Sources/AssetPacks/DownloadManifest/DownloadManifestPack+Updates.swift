// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension DownloadManifestPack.LarderInfo {
    /// A file for updates that a server has beside an archive.
    package struct UpdateFile: Hashable, Sendable {
        /// By the rules of a pack's URL.
        package var url: String
        /// In bytes.
        package var size: Int64
        /// SHA-256 of the file, in lower-case hexadecimal.
        package var sha256: String

        package init(url: String, size: Int64, sha256: String) {
            self.url = url
            self.size = size
            self.sha256 = sha256
        }

        /// The largest index and the largest patch that are listed, in bytes.
        package static let maximumSize: Int64 = 1 << 48

        var members: [String: JSONValue] {
            ["url": .string(url), "size": .integer(size), "sha256": .string(sha256)]
        }
    }

    /// A patch that makes the pack's version out of an earlier one.
    package struct Patch: Hashable, Sendable {
        /// The version it starts from.
        package var from: Int
        /// The tree digest of that version's archive, in lower-case hexadecimal: what counts, since a number may be given twice.
        package var base: String
        package var file: UpdateFile

        package init(from: Int, base: String, file: UpdateFile) {
            self.from = from
            self.base = base
            self.file = file
        }
    }

    /// More patches than anybody lists.
    package static let maximumPatchCount = 64

    /// The members that are there only when there is something to list.
    var updateMembers: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let index { members["index"] = .object(index.members) }
        if !patches.isEmpty {
            members["patches"] = .array(
                patches.map { patch in
                    var members = patch.file.members
                    members["from"] = .integer(Int64(patch.from))
                    members["base"] = .string(patch.base)
                    return .object(members)
                })
        }
        return members
    }
}

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

    func updateIndex(_ node: JSONNode, _ what: String, plainLoopback: Bool) throws
        -> DownloadManifestPack.LarderInfo.UpdateFile
    {
        try updateFile(
            object(node, what, keys: [], example: "{\"url\": \"...\", \"size\": 1, \"sha256\": \"...\"}"),
            plainLoopback: plainLoopback)
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
                base: base, file: try updateFile(object, plainLoopback: plainLoopback))
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
