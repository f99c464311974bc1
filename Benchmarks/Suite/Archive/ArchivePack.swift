// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Packing a folder into a file, against the codec library alone: the same stream in memory, cut in the same blocks,
/// on as many threads, with nothing read, laid out or written.
struct ArchivePack: Benchmark {
    let name = "archive-pack"
    let summary = "DIR [--compression C] [--rounds N]: throughput of packing over that of the codec library alone"

    func run(_ arguments: [String], _ report: Report) throws {
        let options = try ArchiveArguments(arguments, defaultCompressions: [.lzfse, .zlib, .lz4])
        let stream = try Self.stream(of: options.folder)
        let scratch = try TemporaryDirectory(prefix: "larder-bench")
        let target = scratch.path.appending("packed.aar")
        report.note("archive-pack: \(stream.count) bytes in \(options.folder), \(CodecAlone.threads) threads")
        // Packing writes a new file. To free what the round before wrote is not part of it, nor is what file systems do
        // beyond that when a file is emptied and written anew: ext4 writes it to the disk at its close.
        func makeWay() throws {
            do { try FileDescriptor.currentDirectory.remove(at: target) } catch Errno.noSuchFileOrDirectory {}
        }
        for compression in options.compressions {
            var packed: UInt64 = 0
            let times = try Timing.compare(
                rounds: options.rounds, preparing: makeWay,
                { packed = try Self.pack(options.folder, to: target, compression) },
                { CodecAlone.compress(stream, compression, blockSize: ArchiveWriter.defaultBlockSize) })
            let rate = Double(stream.count) / Report.median(times.ours.seconds) / 1e6
            report.ratio(
                "archive-pack \(compression.rawValue)", times.reference.ratios(to: times.ours),
                compression == .lz4 ? .none : .atLeast(0.9),
                detail: "\(Report.rounded(rate)) MB/s, \(packed) bytes, \(times.ours.text(beside: times.reference))")
            // LZ4 compresses as fast as files are read and written, which the library alone does not do: it is judged
            // beside the library with the files.
            guard compression == .lz4 else { continue }
            let bare = try CodecWithFiles(folder: options.folder, blockSize: ArchiveWriter.defaultBlockSize)
            let fair = try Timing.compare(
                rounds: options.rounds, preparing: makeWay,
                { _ = try Self.pack(options.folder, to: target, compression) },
                { try bare.compress(compression, to: target) })
            report.ratio(
                "archive-pack \(compression.rawValue) / the codec alone, with the files",
                fair.reference.ratios(to: fair.ours), .atLeast(0.9), detail: fair.ours.text(beside: fair.reference))
        }
    }

    private static func pack(_ folder: FilePath, to target: FilePath, _ compression: Compression) throws -> UInt64 {
        let file = try OwnedDescriptor(target, .writeOnly, options: [.create, .truncate], permissions: .fileDefault)
        let writer = try ArchiveWriter(file: file.borrowed, compression: compression)
        try writer.appendTree(folder)
        try writer.finish()
        return writer.archiveSize
    }

    private static func stream(of folder: FilePath) throws -> [UInt8] {
        var stream: [UInt8] = []
        let writer = try ArchiveWriter(output: { stream += $0 }, compression: .none)
        try writer.appendTree(folder)
        try writer.finish()
        return stream
    }
}
