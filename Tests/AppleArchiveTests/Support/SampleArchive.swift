// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import TestSupport

/// Archives made of seeded random content.
struct SampleArchive {
    struct File {
        var entry: EntryHeader
        var content: [UInt8]
        var attributes: [UInt8]
    }

    var files: [File] = []

    /// - Parameter largest: no content is larger than this, in bytes; some are empty.
    init(_ generator: inout SeededGenerator, count: Int, largest: Int) {
        for index in 0..<count {
            let name = "d\(index / 5)"
            switch index % 5 {
            case 0: add(.directory, name, &generator, 0)
            case 1:
                add(.symbolicLink, name + "/link", &generator, 0)
                files[files.count - 1].entry.linkTarget = "file\(index)"
            default:
                let size =
                    Int.random(in: 0...3, using: &generator) == 0 ? 0 : Int.random(in: 0...largest, using: &generator)
                add(.regularFile, name + "/file\(index)", &generator, size)
            }
        }
        files.sort { $0.entry.path.utf8.lexicographicallyPrecedes($1.entry.path.utf8) }
    }

    private mutating func add(_ type: EntryType, _ path: String, _ generator: inout SeededGenerator, _ size: Int) {
        var entry = EntryHeader(type: type, path: path)
        entry.mode = type == .directory ? 0o755 : 0o644
        entry.userID = 501
        entry.groupID = 20
        entry.flags = 0
        entry.modificationTime = Timestamp(
            seconds: Int64.random(in: 0...2_000_000_000, using: &generator),
            nanoseconds: Bool.random(using: &generator) ? 0 : Int32.random(in: 1...999_999_999, using: &generator))
        entry.creationTime = entry.modificationTime
        let hasAttributes = Int.random(in: 0...4, using: &generator) == 0
        files.append(
            File(
                entry: entry, content: generator.bytes(size, redundancy: true),
                attributes: hasAttributes ? generator.bytes(Int.random(in: 1...90, using: &generator)) : []))
    }

    func archive(
        _ compression: Compression, blockSize: Int = 1 << 10, threads: Int = 2, fields: ArchiveFields = .all,
        workspace: ArchiveWorkspace? = nil
    ) throws -> [UInt8] {
        var result: [UInt8] = []
        let writer = try ArchiveWriter(
            output: { result += $0 }, compression: compression, blockSize: blockSize, threads: threads, fields: fields,
            workspace: workspace)
        for file in files {
            let isFile = file.entry.type == .regularFile
            try writer.append(
                file.entry, data: isFile ? BytesDataSource(file.content) : nil, extendedAttributes: file.attributes)
        }
        try writer.finish()
        return result
    }

    /// The calls that a sink gets for it.
    var calls: [Recording.Call] {
        files.flatMap { file -> [Recording.Call] in
            var entry = file.entry
            if entry.type == .regularFile { entry.blobs = [.init(key: .data, size: UInt64(file.content.count))] }
            if !file.attributes.isEmpty {
                entry.blobs.append(.init(key: .extendedAttributes, size: UInt64(file.attributes.count)))
            }
            return [.begin(entry)] + (file.content.isEmpty ? [] : [.data(file.content)]) + [.end]
        }
    }
}
