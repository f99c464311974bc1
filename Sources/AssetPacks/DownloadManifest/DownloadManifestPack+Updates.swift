// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

extension DownloadManifestPack.LarderInfo {
    /// A file for updates that a server has beside an archive.
    package struct UpdateFile: Hashable, Sendable {
        /// By the rules of a pack's URL.
        package var url: String
        /// In bytes.
        package var size: Int64
        /// SHA-256 of the file, in lower-case hexadecimal.
        package var sha256: String
        /// Of an index; nil where it has none, or is fetched whole.
        package var front: Front?

        package init(url: String, size: Int64, sha256: String, front: Front? = nil) {
            self.url = url
            self.size = size
            self.sha256 = sha256
            self.front = front
        }

        /// What an index begins with, and what is fetched and checked without the rest.
        package struct Front: Hashable, Sendable {
            /// Bytes from the file's start.
            package var size: Int64
            /// SHA-256 of these bytes, in lower-case hexadecimal.
            package var sha256: String

            package init(size: Int64, sha256: String) {
                self.size = size
                self.sha256 = sha256
            }
        }

        /// The largest index and the largest patch that are listed, in bytes.
        package static let maximumSize: Int64 = 1 << 48

        /// An index that stands beside a pack's archive.
        package static func index(packURL: String, size: Int64, sha256: String, front: Front? = nil) -> UpdateFile {
            UpdateFile(url: url(packURL, indexSuffix), size: size, sha256: sha256, front: front)
        }

        /// What an index's URL has behind the name in the pack's URL.
        package static let indexSuffix = ".index"

        /// The suffix belongs to the path, before any query or fragment.
        fileprivate static func url(_ packURL: String, _ suffix: String) -> String {
            let end = packURL.firstIndex { $0 == "?" || $0 == "#" } ?? packURL.endIndex
            return packURL[..<end] + suffix + packURL[end...]
        }

        var members: [String: JSONValue] {
            var members: [String: JSONValue] = ["url": .string(url), "size": .integer(size), "sha256": .string(sha256)]
            if let front { members["front"] = ["size": .integer(front.size), "sha256": .string(front.sha256)] }
            return members
        }
    }

    /// A patch that makes the pack's version out of an earlier one.
    package struct Patch: Hashable, Sendable {
        /// The version it starts from.
        package var from: Int
        /// The tree digest of that version's archive, in lower-case hexadecimal: what counts, since a number may be given twice.
        package var base: String
        package var file: UpdateFile
        /// What devices that have that version fetch in place of the index; nil where the index will do.
        package var list: UpdateFile?

        package init(from: Int, base: String, file: UpdateFile, list: UpdateFile? = nil) {
            self.from = from
            self.base = base
            self.file = file
            self.list = list
        }

        /// A patch that stands beside a pack's archive.
        package init(from version: Int, base: String, packURL: String, size: Int64, sha256: String) {
            let url = UpdateFile.url(packURL, Self.suffix(from: version))
            self.init(from: version, base: base, file: UpdateFile(url: url, size: size, sha256: sha256))
        }

        /// What a patch's URL has behind the name in the pack's URL.
        package static func suffix(from version: Int) -> String { ".from-\(version).patch" }

        /// What a list's URL has behind the name in the pack's URL.
        package static func listSuffix(from version: Int) -> String { ".from-\(version).list" }

        /// A list that stands beside the patch.
        package func listFile(packURL: String, size: Int64, sha256: String) -> UpdateFile {
            UpdateFile(url: UpdateFile.url(packURL, Self.listSuffix(from: from)), size: size, sha256: sha256)
        }
    }

    /// More patches than anybody lists.
    package static let maximumPatchCount = 64

    var updateMembers: [String: JSONValue] { Self.updateMembers(index: index, patches: patches) }

    /// The members that are there only when there is something to list.
    package static func updateMembers(index: UpdateFile?, patches: [Patch]) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let index { members["index"] = .object(index.members) }
        if !patches.isEmpty {
            members["patches"] = .array(
                patches.map { patch in
                    var members = patch.file.members
                    members["from"] = .integer(Int64(patch.from))
                    members["base"] = .string(patch.base)
                    if let list = patch.list { members["list"] = .object(list.members) }
                    return .object(members)
                })
        }
        return members
    }
}
