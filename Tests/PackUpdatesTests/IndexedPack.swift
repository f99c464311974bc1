// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System
import TestSupport

@testable import PackUpdates

/// A tree of files in a scratch folder, and packs of it.
struct IndexedPack {
    let scratch: Scratch

    static let manifest = """
        {
          "assetPackID": "Tutorial", "downloadPolicy": { "onDemand": {} },
          "fileSelectors": [ { "filePattern": "**" } ], "platforms": ["Linux"], "sourceRoot": "src"
        }
        """

    init(_ scratch: Scratch, _ files: [String: [UInt8]]) throws {
        self.scratch = scratch
        for (name, bytes) in files { try scratch.write(bytes, to: "src/\(name)") }
        try scratch.write(Self.manifest, to: "M.json")
    }

    func packager(blockSize: Int = 64 << 10, compression: Compression = .lzfse) throws -> Packager {
        let manifest = try PackManifest(contentsOf: scratch("M.json"))
        var packager = Packager(
            try PackEvaluation(
                manifest,
                sourceDirectory: manifest.sourceDirectory(
                    manifest: scratch("M.json"), workingDirectory: scratch.path)))
        packager.blockSize = blockSize
        packager.compression = compression
        return packager
    }

    /// The index that packing wrote.
    @discardableResult
    func package(to name: String = "X.aar", blockSize: Int = 64 << 10, compression: Compression = .lzfse) throws
        -> PackIndex
    {
        _ = try packager(blockSize: blockSize, compression: compression).packageWithIndex(to: scratch(name))
        return try PackIndex.read(scratch(name + ".index"))
    }

    /// An archive of any entries.
    func archive(
        _ name: String, compression: Compression = .lzfse, _ body: (ArchiveWriter) throws -> Void
    ) throws -> FilePath {
        let path = scratch(name)
        let file = OwnedDescriptor(
            try FileDescriptor.open(path, .writeOnly, options: [.create, .truncate], permissions: .fileDefault))
        let writer = try ArchiveWriter(
            file: file.borrowed, compression: compression, blockSize: 64 << 10, fields: .mode)
        try body(writer)
        try writer.finish()
        return path
    }

    /// The uncompressed stream, from the blocks alone and where the index says they are.
    static func stream(_ index: PackIndex, of archive: [UInt8]) throws -> [UInt8] {
        let decoder = try ArchiveBlockDecoder(letter: index.archive.letter)
        let offsets = index.archive.blockOffsets
        var stream: [UInt8] = []
        for block in 0..<index.archive.blockCount {
            let payload = archive[(Int(offsets[block]) + ArchiveBlock.headSize)..<Int(offsets[block + 1])]
            try payload.withUnsafeBytes {
                try decoder.decode($0, contentSize: index.archive.contentSize(of: block)) { stream += $0 }
            }
        }
        return stream
    }
}
