// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import FuzzSupport
import Kit
import PackUpdates
import TestSupport

/// Damaged indexes end in one that is written as it was read and gives a plan within its bounds, or in one clear error;
/// and files whose times are taken out are never changed a second time.
@main
enum PackIndexFuzz {
    static func main() throws {
        let corpus = try corpus()
        let local = try corpus.map { try PackIndex(decoding: $0) }
        try Fuzzer(name: "fuzz-pack-index").run(corpus: corpus) { input, _ in
            if let normal = ContentNormalizer.normalized(input) {
                try Finding.require(ContentNormalizer.normalized(normal) == nil, "times that are taken out twice")
            }
            do {
                // What its front vouches for is looked at, too, when somebody made both.
                try check(PackIndex(decoding: IndexFront.sealed(input) ?? input), local)
            } catch let error as PackUpdateError {
                try Finding.require(!error.message.isEmpty, "an error without a message")
            }
        }
    }

    private static func check(_ index: PackIndex, _ local: [PackIndex]) throws {
        let written = try index.encoded(compressed: false)
        try Finding.require(try PackIndex(decoding: written) == index, "not read back as written")
        try check(written, index, local)
        var known = LocalContents(for: index)
        for (number, local) in local.enumerated() { known.add(local, as: number) }
        for contents in [LocalContents(for: index), known] {
            let planner = UpdatePlanner(target: index, local: contents, facts: UpdateFacts(ranges: .single))
            for plan in [planner.plan(), planner.blocksPlan()].compactMap(\.self) { try check(plan, index, local) }
        }
        for other in local { _ = PackDifference(from: other, to: index) }
    }

    /// All that a plan takes is there, and is as much as its contents need.
    private static func check(_ plan: UpdatePlan, _ index: PackIndex, _ local: [PackIndex]) throws {
        for range in plan.archiveRanges {
            try Finding.require(
                range.lowerBound >= 0 && range.upperBound <= index.archive.size, "a range beyond the archive")
        }
        for (number, action) in (plan.actions ?? []).enumerated() {
            let content = index.contents[number]
            guard case .rebuild(let pieces) = action else { continue }
            var size: Int64 = 0
            for piece in pieces {
                switch piece {
                case .local(let source, let offset, let count):
                    let old = local[source.pack].contents[source.content]
                    try Finding.require(
                        offset >= 0 && count > 0 && offset + count <= old.size, "a piece beyond a local content")
                    size += count
                case .made(let source, let offset, let count):
                    let there = source < number ? index.contents[source].size : source == number ? size : 0
                    try Finding.require(
                        offset >= 0 && count > 0 && offset + count <= there, "a piece of what is not made yet")
                    size += count
                case .stream(let offset, let count):
                    try Finding.require(
                        offset >= content.offset && count > 0 && offset + count <= content.offset + content.size,
                        "a piece beyond its content")
                    size += count
                }
            }
            try Finding.require(size == content.size, "pieces of \(size) bytes for a content of \(content.size)")
        }
    }

    /// What a device knows by an index spares it fetching, and the rest comes by ranges.
    private static func check(_ file: [UInt8], _ index: PackIndex, _ local: [PackIndex]) throws {
        let front = try IndexFront(decoding: file[...])
        try Finding.require(front.fileSize == Int64(file.count), "a front of another file")
        for known in local.map(IndexForeknowledge.init) {
            for range in front.ranges(besides: known) {
                try Finding.require(
                    range.lowerBound >= Int64(front.size) && range.upperBound <= front.fileSize,
                    "a range beyond the index")
            }
            let bodies = try front.parts.map { part in
                try known.body(of: part)
                    ?? front.body(of: part, stored: file[Int(part.range.lowerBound)..<Int(part.range.upperBound)])
            }
            let listed = try front.index(of: bodies)
            try Finding.require(listed.entries == index.entries, "other entries of the same parts")
        }
    }

    private static func corpus() throws -> [[UInt8]] {
        var generator = SeededGenerator(seed: 11)
        var files: [[UInt8]] = []
        for size in [10, 3000, 200_000] {
            let format = ArchiveBlockFormat(compression: .lzfse, blockSize: 4096)
            let recorder = try PackIndexRecorder(format: format, chunkAverage: 4096)
            let writer = try ArchiveWriter(
                output: { recorder.record(archive: $0) }, blockSize: 4096, threads: 1, fields: .mode)
            writer.onBlock = { try recorder.record(block: $0, storedSize: $1) }
            let content = generator.bytes(size)
            for path in ["manifest.json", "Contents/a", "Contents/b/c"] {
                try writer.append(EntryHeader(type: .regularFile, path: path), bytes: content)
            }
            var link = EntryHeader(type: .symbolicLink, path: "Contents/link")
            link.linkTarget = "b/c"
            try writer.append(link)
            try writer.append(EntryHeader(type: .directory, path: "Contents/nothing"))
            try writer.finish()
            let index = try recorder.finish()
            files.append(try index.encoded(compressed: false))
            files.append(try index.encoded())
        }
        return files
    }
}
