// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
package import Crypto
import Kit
import System

/// Digests of files of an archive as they would be without the times in them (`ContentNormalizer`).
package enum StampSurvey {
    /// Contents are unpacked so many bytes at a time, or one when it is larger.
    private static let batchSize: Int64 = 64 << 20

    /// Reads only the blocks that hold the files. Blocks.
    /// - Parameter paths: the files to look at, as in the archive.
    /// - Returns: by path; only of files of a kind that may hold times.
    /// - Throws: as `PatchMaker`.
    package static func digests(
        of paths: Set<String>, in version: PatchVersion, isCancelled: () -> Bool = { false }
    ) throws -> [String: Digest] {
        let index = version.index
        var pathsOf: [Int: [String]] = [:]
        for entry in index.entries where paths.contains(entry.path) {
            guard case .file(let content, _, _) = entry.kind,
                (1...Int64(ContentNormalizer.maximumSize)).contains(index.contents[content].size)
            else { continue }
            pathsOf[content, default: []].append(entry.path)
        }
        guard !pathsOf.isEmpty else { return [:] }
        let folder = try TemporaryDirectory(prefix: "larder-diff")
        let file = try OwnedDescriptor(
            folder.path.appending("contents"), .readWrite, options: [.create, .exclusiveCreate],
            permissions: .ownerReadWrite)
        var digests: [String: Digest] = [:]
        var batch: [(content: Int, range: Range<Int>)] = []
        var layout = ContentLayout(index: index)
        var size: Int64 = 0
        func survey() throws {
            try version.unpack(layout, to: [file.borrowed], isCancelled: isCancelled)
            for (content, range) in batch {
                guard let digest = try digest(of: file.borrowed, range) else { continue }
                for path in pathsOf[content] ?? [] { digests[path] = digest }
            }
            batch = []
            layout = ContentLayout(index: index)
            size = 0
        }
        for content in pathsOf.keys.sorted() {
            if !batch.isEmpty, size + index.contents[content].size > batchSize { try survey() }
            batch.append((content, layout.place([content], at: &size)))
        }
        try survey()
        return digests
    }

    private static func digest(of file: FileDescriptor, _ range: Range<Int>) throws -> Digest? {
        let prefix = try read(file, range.prefix(ContentNormalizer.prefixSize))
        guard ContentNormalizer.mayConcern(prefix: prefix) else { return nil }
        let bytes = try read(file, range)
        return SHA256.hash(ContentNormalizer.normalized(bytes) ?? bytes)
    }

    private static func read(_ file: FileDescriptor, _ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { room, initialized in
            while initialized < range.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[initialized...])
                let count = try file.read(fromAbsoluteOffset: Int64(range.lowerBound + initialized), into: rest)
                if count == 0 { return }
                initialized += count
            }
        }
    }
}
