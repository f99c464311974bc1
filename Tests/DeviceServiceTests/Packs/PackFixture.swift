// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import Kit
import PackNamespace
import System
import TestSupport

@testable import DeviceService

/// A pack made in memory: what it holds, its archive, and what a manifest says of it.
struct PackFixture: Sendable {
    var id: String
    var version = 1
    var files: [String: [UInt8]]
    /// Further entries, appended as they are.
    var entries: [EntryHeader] = []
    var manifest: String?
    var compression = Compression.lz4
    var blockSize = 16 << 10
    var givesDigest = true

    init(_ id: String, version: Int = 1, files: [String: [UInt8]]) {
        self.id = id
        self.version = version
        self.files = files
    }

    /// Files of random sizes whose contents compress a little.
    static func random(_ id: String, version: Int = 1, bytes: Int, _ random: inout SeededGenerator) -> PackFixture {
        var files: [String: [UInt8]] = [:]
        var rest = bytes
        while rest > 0 {
            let size = min(rest, Int.random(in: 0...max(bytes / 6, 1), using: &random))
            let folder = ["", "a/", "a/b/", "c/d/e/"].randomElement(using: &random) ?? ""
            files["\(folder)file\(files.count)"] = random.bytes(size, redundancy: true)
            rest -= max(size, 1)
        }
        return PackFixture(id, version: version, files: files)
    }

    func archive() throws -> [UInt8] {
        let output = Locked<[UInt8]>([])
        let writer = try ArchiveWriter(
            output: { bytes in output.withLock { $0.append(contentsOf: bytes) } }, compression: compression,
            blockSize: blockSize, threads: 1)
        let text = manifest ?? #"{"assetPackID": "\#(id)"} // made by a test"#
        try writer.append(EntryHeader(type: .regularFile, path: "manifest.json"), bytes: Array(text.utf8))
        try writer.append(EntryHeader(type: .directory, path: "Contents"))
        for path in files.keys.sorted() {
            try writer.append(
                EntryHeader(type: .regularFile, path: "Contents/\(path)"), bytes: files[path] ?? [])
        }
        for entry in entries { try writer.append(entry) }
        try writer.finish()
        return output.withLock { $0 }
    }

    func description(_ archive: [UInt8], url: String = "https://packs.example/pack") -> DownloadManifestPack {
        DownloadManifestPack(
            id: id, url: url, version: version, downloadSize: Int64(archive.count), downloadPolicy: .onDemand,
            larder: givesDigest
                ? .init(
                    digest: .init(value: TreeDigest.hash(archive).hex),
                    installedSize: files.values.reduce(0) { $0 + Int64($1.count) }, fileCount: files.count) : nil)
    }

    func download(_ archive: [UInt8]) -> PackDownload { PackDownload(description(archive)) }
}

extension PackPipeline {
    /// Feeds an archive from where the pipeline stands, in pieces.
    func feed(_ archive: [UInt8], upTo end: Int? = nil, pieces: Int = 10_000) throws {
        try archive.withUnsafeBytes { bytes in
            while position < end ?? bytes.count {
                let next = min(Int(position) + pieces, end ?? bytes.count)
                try feed(UnsafeRawBufferPointer(rebasing: bytes[Int(position)..<next]))
            }
        }
    }
}

/// What an app reads through the namespace: every path and its content.
func readableFiles(_ root: FilePath) throws -> [String: [UInt8]] {
    let reader = AppRootReader(root: root)
    let handle = try reader.current()
    var files: [String: [UInt8]] = [:]
    try handle.table.forEachFile(below: "") { entry in
        let file = OwnedDescriptor(try handle.open(entry))
        let bytes = try file.borrowed.readAll()
        guard bytes.count == Int(entry.size) else { throw StoreError(.system, "a size does not fit") }
        files[String(decoding: entry.path, as: UTF8.self)] = bytes
    }
    return files
}

/// Stages and commits a pack as the store does.
func install(_ fixture: PackFixture, in generations: AppGenerations, options: PackPipeline.Options = .init()) throws {
    let archive = try fixture.archive()
    let staged = StagedPack(layout: generations.layout, id: fixture.id)
    let previous = try generations.localPacks().first { $0.id == fixture.id }
    let pipeline = try PackPipeline(
        fixture.download(archive), staged: staged,
        previous: previous.map { generations.layout.root.appending($0.directory) }, options: options)
    try pipeline.feed(archive)
    _ = try pipeline.finish(directory: "packs/\(fixture.id)/\(fixture.version)-0000")
    try generations.commit(staged)
}
