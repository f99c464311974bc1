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
        try Fuzzer(name: "fuzz-pack-index").run(corpus: corpus) { input, _ in
            if let normal = ContentNormalizer.normalized(input) {
                try Finding.require(ContentNormalizer.normalized(normal) == nil, "times that are taken out twice")
            }
            do {
                try check(PackIndex(decoding: input))
            } catch let error as PackUpdateError {
                try Finding.require(!error.message.isEmpty, "an error without a message")
            }
        }
    }

    private static func check(_ index: PackIndex) throws {
        let written = try index.encoded(compressed: false)
        try Finding.require(try PackIndex(decoding: written) == index, "not read back as written")
        let planner = UpdatePlanner(
            target: index, local: LocalContents(for: index), facts: UpdateFacts(ranges: .single))
        for plan in [planner.plan(), planner.blocksPlan()].compactMap(\.self) {
            for range in plan.archiveRanges {
                try Finding.require(
                    range.lowerBound >= 0 && range.upperBound <= index.archive.size, "a range beyond the archive")
            }
        }
        _ = PackDifference(from: index, to: index)
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
