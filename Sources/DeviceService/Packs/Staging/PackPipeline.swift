// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Glibc
import Kit
import PackNamespace
import System

/// Takes a pack's archive as it arrives, checks it, unpacks it into staging and keeps checkpoints: bytes in, files out, no
/// archive kept (G5). It knows nothing of the network. Everything blocks: for an owned thread.
final class PackPipeline {
    struct Options: Sendable {
        /// Threads that decompress; 0 is one for each core.
        var threads = 0
        /// Bytes written between two flushes of the file system, which make a checkpoint durable.
        var durableInterval: Int64 = 64 << 20
        /// Bytes of the archive between two checkpoints at least.
        var checkpointInterval: UInt64 = 1 << 20
        /// Of an archive, with the bytes of all names: each may become a file, and a line in the list of them.
        var maximumEntries: UInt64 = 4_000_000
        var maximumNameSize: UInt64 = 512 << 20
        var bounds = StagingSink.Bounds()
        var hook: CommitHook?

        init() {}
    }

    let download: PackDownload
    let staged: StagedPack
    private let options: Options
    private let previous: FilePath?
    private let space: FileSystemSpace
    private var sink: StagingSink
    private var decoder: ArchiveDecoder
    private var digest = TreeDigest()
    /// The archive's next byte.
    private(set) var position: Int64 = 0
    /// The first byte that the decoder has not had; before it, bytes only go into the digest.
    private var decoderOffset: Int64 = 0
    private var leavesWritten = 0
    private var lastCheckpoint: UInt64 = 0
    private var lastDurable: Int64 = 0
    private var isKeeping = false
    private let flusher = StagingFlusher()
    /// For `If-Range` when the download goes on.
    private(set) var validator: String?

    /// Opens what is staged of the download, or begins.
    /// - Parameter previous: the folder of the pack's local version.
    /// - Throws: `StoreError`, `Errno`
    init(_ download: PackDownload, staged: StagedPack, previous: FilePath?, options: Options = Options()) throws {
        self.download = download
        self.staged = staged
        self.previous = previous
        self.options = options
        space = try FileSystemSpace(at: staged.layout.root)
        let checkpoint = Self.checkpoint(of: staged, download)
        do {
            (sink, decoder, digest) = try Self.open(staged, download, previous, options, space, checkpoint)
            if let checkpoint { goOn(from: checkpoint) }
        } catch  where checkpoint != nil {
            // What is staged cannot be gone on with: from the beginning, then.
            (sink, decoder, digest) = try Self.begin(staged, download, previous, options, space)
        }
        connect()
    }

    /// Drops what is staged and begins again: the server has other bytes than those that were fetched.
    /// - Throws: `StoreError`, `Errno`
    func restart() throws {
        flusher.wait()
        (sink, decoder, digest) = try Self.begin(staged, download, previous, options, space)
        position = 0
        decoderOffset = 0
        leavesWritten = 0
        lastCheckpoint = 0
        lastDurable = 0
        validator = nil
        connect()
    }

    func setValidator(_ validator: String?) { self.validator = validator }

    /// Bytes of files that are in staging, written or linked.
    var unpacked: Int64 {
        Int64(clamping: sink.state.installedSize + (sink.state.current?.written ?? 0))
    }

    /// Bytes of files that were linked to those of the version before, and that were written.
    var linked: Int64 { Int64(clamping: sink.state.linkedSize) }
    var bytesWritten: Int64 { Int64(clamping: sink.state.installedSize) - linked }

    // MARK: - Bytes

    /// Takes the archive's next bytes.
    /// - Throws: `StoreError`, `ArchiveError`, `Errno`
    func feed(_ bytes: UnsafeRawBufferPointer) throws {
        guard position + Int64(bytes.count) <= download.downloadSize else {
            throw StoreError(
                .wrongSize,
                "The server sends more than the \(download.downloadSize) bytes that the manifest promises for the pack "
                    + "\(download.id). Its manifest and its archive do not fit together.")
        }
        digest.update(bytes)
        let skipped = min(max(decoderOffset - position, 0), Int64(bytes.count))
        position += Int64(bytes.count)
        if skipped < bytes.count {
            try decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[Int(skipped)...]))
        }
    }

    /// The download stops here: what has come is decompressed and kept in a checkpoint, as far as whole blocks go. What is
    /// fetched again when it goes on is less than a block and the digest's span.
    /// - Throws: as `feed`; then the checkpoint before counts.
    func keep() throws {
        isKeeping = true
        defer { isKeeping = false }
        try decoder.settle()
    }

    /// The archive is complete: checks it and puts everything on the disk. After this the pack only needs its commit.
    /// - Returns: the record, which is in staging too.
    /// - Throws: `StoreError`, `ArchiveError`, `Errno`
    func finish(directory: String) throws -> PackSeal {
        guard position == download.downloadSize else {
            throw StoreError(
                .wrongSize,
                "The server sent \(position) bytes of the pack \(download.id), and the manifest promises "
                    + "\(download.downloadSize). Its manifest and its archive do not fit together.")
        }
        let archive = try checkedDigest()
        try decoder.finish()
        flusher.wait()
        return try staged.seal(download, sink, of: archive, directory: directory, hook: options.hook)
    }

    private func checkedDigest() throws -> Digest {
        let found = digest.finish()
        guard let expected = download.digest, found.hex != expected else { return found }
        throw StoreError(
            .wrongDigest,
            "The bytes of the pack \(download.id) are not those that the manifest promises (digest \(found.hex), "
                + "promised \(expected)). They were changed on the way or on the server; nothing was kept.")
    }

    // MARK: - Checkpoints

    private func connect() {
        decoder.onCheckpoint = { [unowned self] in try checkpoint(at: $0) }
    }

    private func checkpoint(at archive: ArchiveCheckpoint) throws {
        // A checkpoint holds all links: where they are many, it comes less often.
        let interval = isKeeping ? 1 : max(options.checkpointInterval, sink.state.linkSize)
        guard sink.isAtSafePoint, archive.archiveOffset >= lastCheckpoint + interval else { return }
        lastCheckpoint = archive.archiveOffset
        try staged.writeJournal(of: sink)
        let checkpoint = StagingCheckpoint(
            boot: StagingCheckpoint.currentBoot, archive: archive, sink: sink.state, validator: validator)
        try writeLeaves(checkpoint.leafCount)
        try staged.write(checkpoint: checkpoint)
        if sink.bytesWritten >= lastDurable + options.durableInterval {
            lastDurable = sink.bytesWritten
            try flusher.flush(checkpoint, staged)
        }
    }

    private func writeLeaves(_ count: Int) throws {
        guard count > leavesWritten else { return }
        let range = (leavesWritten * Digest.byteCount)..<(count * Digest.byteCount)
        try staged.append(Array(digest.leaves.bytes[range]), to: staged.leaves, at: UInt64(range.lowerBound))
        leavesWritten = count
    }

    // MARK: - Opening

    private typealias Parts = (StagingSink, ArchiveDecoder, TreeDigest)

    private static func checkpoint(of staged: StagedPack, _ download: PackDownload) -> StagingCheckpoint? {
        guard let identity = try? StagedPack.read(StagingIdentity.self, staged.identity),
            identity == download.identity, !staged.isSealed
        else { return nil }
        return StagingCheckpoint.read(staged)
    }

    private func goOn(from checkpoint: StagingCheckpoint) {
        position = checkpoint.fetchOffset
        decoderOffset = Int64(clamping: checkpoint.archive.archiveOffset)
        leavesWritten = checkpoint.leafCount
        lastCheckpoint = checkpoint.archive.archiveOffset
        validator = checkpoint.validator
    }

    private static func open(
        _ staged: StagedPack, _ download: PackDownload, _ previous: FilePath?, _ options: Options,
        _ space: FileSystemSpace, _ checkpoint: StagingCheckpoint?
    ) throws -> Parts {
        guard let checkpoint else { return try begin(staged, download, previous, options, space) }
        let kept = try File.read(staged.leaves, limit: 1 << 30).prefix(checkpoint.leafCount * Digest.byteCount)
        guard let leaves = TreeDigest.Leaves(bytes: Array(kept)), leaves.count == checkpoint.leafCount else {
            throw StoreError(
                .system, "The digests of the pack \(download.id) are incomplete; the download begins again.")
        }
        let sink = try StagingSink(
            staged, resuming: checkpoint.sink, previous: previous, blockSize: space.blockSize, bounds: options.bounds)
        let decoder = try ArchiveDecoder(
            sink: sink, limits: limits(download, options, space), threads: options.threads, resuming: checkpoint.archive
        )
        return (sink, decoder, TreeDigest(resuming: leaves))
    }

    private static func begin(
        _ staged: StagedPack, _ download: PackDownload, _ previous: FilePath?, _ options: Options,
        _ space: FileSystemSpace
    ) throws -> Parts {
        try staged.begin(download.identity)
        let sink = try StagingSink(
            staged, resuming: nil, previous: previous, blockSize: space.blockSize, bounds: options.bounds)
        let decoder = try ArchiveDecoder(sink: sink, limits: limits(download, options, space), threads: options.threads)
        return (sink, decoder, TreeDigest())
    }

    /// An archive may not unpack to more than the manifest says, nor to more than there is room for.
    private static func limits(_ download: PackDownload, _ options: Options, _ space: FileSystemSpace) -> ArchiveLimits
    {
        var limits = ArchiveLimits.default
        limits.maximumEntries = options.maximumEntries
        limits.maximumNameSize = options.maximumNameSize
        let manifest: Int64 = 16 << 20
        if let promised = download.installedSize {
            limits.maximumTotalSize = UInt64(clamping: promised + manifest)
        } else {
            limits.maximumTotalSize = UInt64(clamping: space.available) + UInt64(manifest)
        }
        return limits
    }
}
