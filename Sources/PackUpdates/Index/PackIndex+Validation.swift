// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System

extension PackIndex {
    static let manifestPath = Packager.manifestName
    static let contentsPrefix = Packager.contentsName + "/"

    /// What an index may claim.
    enum Limits {
        /// As in download manifests.
        static let size: Int64 = 1 << 48
        static let blockSize = 1 << 30
        static let blocks = 16 << 20
        static let entries = 4 << 20
        static let chunks = 16 << 20
        static let linkTarget = 4095
        /// Bytes of all paths and targets of links together.
        static let names = 128 << 20
        /// Bytes of the paths of folders that are looked up: few bytes of an index can stand for many long paths.
        static let parents = 1 << 30
    }

    static func damaged(_ reason: String) -> PackUpdateError {
        PackUpdateError(
            .damagedIndex,
            "The index of the pack is damaged: \(reason). Fetch it again, or remove it and make it again.")
    }

    func validate() throws {
        try archive.validate()
        try validateChunks()
        try Self.validate(entries, of: contents, streamSize: archive.streamSize)
    }

    private func validateChunks() throws {
        guard ContentChunker.averages.contains(chunkAverage), chunkAverage.nonzeroBitCount == 1 else {
            throw Self.damaged("its chunks have an average size of \(chunkAverage)")
        }
        var next = 0
        for content in contents {
            guard content.chunks.lowerBound == next, content.chunks.upperBound <= chunks.count else {
                throw Self.damaged("a content does not fit the archive")
            }
            next = content.chunks.upperBound
            guard !content.chunks.isEmpty else { continue }
            // No sum passes the content: each chunk is checked before it is added.
            var rest = content.size
            for chunk in chunks[content.chunks] {
                guard chunk.size > 0, Int64(chunk.size) <= rest else {
                    throw Self.damaged("chunks are not as long as their content")
                }
                rest -= Int64(chunk.size)
            }
            guard rest == 0 else { throw Self.damaged("chunks are not as long as their content") }
        }
        guard next == chunks.count else { throw Self.damaged("a chunk belongs to no content") }
    }

    /// Files must lie in the stream one behind the other, contents must be numbered as they first come, and paths must be
    /// those of a pack.
    static func validate(_ entries: [Entry], of contents: [Content], streamSize: Int64) throws {
        guard contents.allSatisfy({ $0.size >= 0 && $0.size <= streamSize }) else {
            throw damaged("a content does not fit the archive")
        }
        var end: Int64 = 0
        var known = 0
        for entry in entries {
            guard case .file(let content, let offset, _) = entry.kind else { continue }
            guard contents.indices.contains(content), content <= known else {
                throw damaged("\"\(entry.path)\" has a content that is not listed")
            }
            guard offset >= end, offset <= streamSize - contents[content].size else {
                throw damaged("\"\(entry.path)\" does not lie in the archive")
            }
            end = offset + contents[content].size
            if content == known {
                guard contents[content].offset == offset else { throw damaged("a content has two places") }
                known += 1
            }
        }
        guard known == contents.count else { throw damaged("a content belongs to no file") }
        try validatePaths(entries)
    }

    private static func validatePaths(_ entries: [Entry]) throws {
        var isFolder: [String: Bool] = [:]
        isFolder.reserveCapacity(entries.count)
        var hasManifest = false
        var names = 0
        for entry in entries {
            names += entry.path.utf8.count
            if case .link(let target) = entry.kind { names += target.utf8.count }
            guard names <= Limits.names else { throw damaged("its names are too long together") }
            let (path, isManifest) = try check(entry)
            hasManifest = hasManifest || isManifest
            guard isFolder.updateValue(entry.kind == .folder, forKey: path) == nil else {
                throw damaged("the path \"\(path)\" stands twice")
            }
        }
        guard hasManifest else { throw damaged("it lists no \"\(manifestPath)\"") }
        var previous = ""
        var looked = 0
        for entry in entries {
            // The folders that the path before passes through, too, have been looked up.
            let known = zip(previous.utf8, entry.path.utf8).prefix { $0 == $1 }.count
            previous = entry.path
            var parent = entry.path[...]
            while let slash = parent.utf8.lastIndex(of: UInt8(ascii: "/")) {
                parent = parent[..<slash]
                guard parent.utf8.count >= known else { break }
                looked += parent.utf8.count
                guard looked <= Limits.parents else { throw damaged("its paths are too many and too long") }
                guard isFolder[String(parent)] == nil else {
                    throw damaged(
                        "\"\(entry.path)\" passes through \"\(parent)\", which is no folder that holds something")
                }
            }
        }
    }

    private static func check(_ entry: Entry) throws -> (path: String, isManifest: Bool) {
        if entry.path == manifestPath {
            guard case .file = entry.kind else { throw damaged("\"\(entry.path)\" is no file") }
            return (entry.path, true)
        }
        if entry.path == Packager.contentsName, entry.kind == .folder { return (entry.path, false) }
        guard let below = entry.path.removing(pathPrefix: contentsPrefix), below.isPlainPath,
            let path = try? PackPath(below)
        else { throw damaged("\"\(entry.path.prefix(120))\" is no path of a pack") }
        if case .link(let target) = entry.kind {
            guard !target.utf8.isEmpty, target.utf8.count <= Limits.linkTarget, !target.utf8.contains(0),
                ArchivePath.staysInside(target: target, of: path.string)
            else { throw damaged("the link \"\(entry.path)\" leaves the pack") }
        }
        return (entry.path, false)
    }
}

extension PackIndex.Archive {
    fileprivate func validate() throws {
        try Self.validate(size: size, blockSize: blockSize, streamSize: streamSize, blocks: storedSizes.count)
        var sum = Int64(ArchiveBlock.wrapperHeadSize)
        for (block, stored) in storedSizes.enumerated() {
            guard stored > 0, stored <= contentSize(of: block) else {
                throw PackIndex.damaged("the block \(block) has \(stored) bytes")
            }
            sum += Int64(ArchiveBlock.headSize + stored)
        }
        guard sum == size else {
            throw PackIndex.damaged("its blocks come to \(sum) bytes, and its archive to \(size)")
        }
    }

    /// - Parameter blocks: how many there are.
    static func validate(size: Int64, blockSize: Int, streamSize: Int64, blocks: Int) throws {
        guard (1...PackIndex.Limits.blockSize).contains(blockSize) else {
            throw PackIndex.damaged("its blocks have \(blockSize) bytes")
        }
        guard (0...PackIndex.Limits.size).contains(streamSize), (0...PackIndex.Limits.size).contains(size) else {
            throw PackIndex.damaged("its archive has a size that none has")
        }
        guard Int64(blocks) == blockCount(streamSize: streamSize, blockSize: blockSize) else {
            throw PackIndex.damaged("it lists \(blocks) blocks")
        }
    }
}
