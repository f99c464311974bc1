// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Glibc
import Kit
import System

/// Extracting an archive, against `bsdtar` on a tar of the same files compressed with the same family of codec. LZFSE
/// has no tar; its peer is zstd, which too pairs LZ77 with finite state entropy.
struct ArchiveExtract: Benchmark {
    let name = "archive-extract"
    let summary =
        "DIR [--compression C] [--rounds N]: time to extract over that of bsdtar with a codec of the same family"

    func run(_ arguments: [String], _ report: Report) throws {
        let options = try ArchiveArguments(arguments, defaultCompressions: [.lzfse, .zlib, .lz4])
        let scratch = try TemporaryDirectory(prefix: "larder-bench")
        let done = scratch.path.appending("done")
        try FileDescriptor.currentDirectory.makeDirectory(at: done)
        for compression in options.compressions {
            let archive = scratch.path.appending("tree.aar")
            try Self.pack(options.folder, to: archive, compression)
            for filter in Self.filters(compression) {
                let tar = scratch.path.appending("tree.tar.\(filter)")
                try Self.bsdtar(["-c", "--\(filter)", "-f", tar.string, "-C", options.folder.string, "."])
                let target = scratch.path.appending("out")
                var times = (ours: Timing(), reference: Timing())
                for round in 0...options.rounds {
                    let ours = try Self.timed(target, done) { try Self.extract(archive, to: target) }
                    let reference = try Self.timed(target, done) {
                        try FileDescriptor.currentDirectory.makeDirectory(at: target)
                        try Self.bsdtar(["-x", "-f", tar.string, "-C", target.string])
                    }
                    guard round > 0 else { continue }
                    times.ours.add(ours)
                    times.reference.add(reference)
                }
                report.ratio(
                    "archive-extract \(compression.rawValue) / bsdtar \(filter)",
                    times.ours.ratios(to: times.reference), .atMost(1), detail: times.ours.text(beside: times.reference)
                )
            }
        }
    }

    private static func filters(_ compression: Compression) -> [String] {
        switch compression {
        case .lzfse: ["gzip", "zstd"]
        case .zlib: ["gzip"]
        case .lz4: ["lz4"]
        case .lzma: ["xz"]
        case .none: []
        }
    }

    private static func pack(_ folder: FilePath, to target: FilePath, _ compression: Compression) throws {
        let file = try OwnedDescriptor(target, .writeOnly, options: [.create, .truncate], permissions: .fileDefault)
        let writer = try ArchiveWriter(file: file.borrowed, compression: compression)
        try writer.appendTree(folder)
        try writer.finish()
    }

    private static func extract(_ archive: FilePath, to target: FilePath) throws {
        let file = try OwnedDescriptor(archive, .readOnly)
        _ = try ArchiveExtraction.extract(file.borrowed, to: target)
    }

    private static func bsdtar(_ arguments: [String]) throws {
        let output = try ChildProcess.run(executable: "/usr/bin/bsdtar", arguments: arguments)
        guard output.exitCode == 0 else { throw BenchmarkError("bsdtar failed") }
    }

    /// Times one extraction; outside of the time what it wrote is flushed, moved to `done` and emptied.
    private static func timed(_ target: FilePath, _ done: FilePath, _ body: () throws -> Void) throws -> Timing {
        sync()
        let timing = try Timing.measure(body)
        let here = FileDescriptor.currentDirectory
        let number = try here.entries(at: done).count
        let moved = done.appending("\(number)")
        try here.rename(from: target, to: moved)
        try Emptied.empty(moved)
        return timing
    }
}
