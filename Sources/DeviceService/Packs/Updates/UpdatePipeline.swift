// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import DeviceProtocol
import Glibc
import Kit
import PackNamespace
import PackUpdates
import System

/// Makes a new version of a pack in staging out of what is local and what comes, and keeps checkpoints. It knows nothing of the
/// network. Everything blocks: for an owned thread.
final class UpdatePipeline {
    let download: PackDownload
    let staged: StagedPack
    private(set) var index: PackIndex
    /// SHA-256 of the index's file.
    let indexDigest: Digest
    private let options: PackPipeline.Options
    let sink: StagingSink
    var tally = PackArrival()
    var validator: String?
    /// How far a patch was applied.
    var patch: UpdateCheckpoint.PatchProgress?
    /// Whether files of an earlier attempt are there.
    let isResumed: Bool
    /// Of each content, the files that hold it, below the pack's contents.
    private let paths: [[String]]
    /// Contents that the index does not name.
    private let isUnnamed: Set<Int>
    private var complete: Set<String> = []
    /// Of contents that the index does not name, the digests of what was made.
    private var found: [Int: Digest] = [:]
    /// Contents that were staged before and are not what the index says.
    private(set) var dropped: Set<Int> = []
    private var folders: [FilePath: OwnedDescriptorBox] = [:]
    private let flusher = StagingFlusher()
    private var pace = CheckpointPace(since: .now)
    /// How many were taken.
    private(set) var checkpoints = 0
    private var lastDurable: Int64 = 0

    /// Between two looks at whether to go on.
    private static let copiedAtOnce: UInt64 = 16 << 20

    /// Goes on with what is staged for this index, or begins.
    /// - Throws: `StoreError`, `Errno`
    init(
        _ download: PackDownload, staged: StagedPack, index: PackIndex, digest: Digest, options: PackPipeline.Options
    ) throws {
        self.download = download
        self.staged = staged
        self.index = index
        indexDigest = digest
        self.options = options
        paths = Self.paths(index)
        isUnnamed = Set(index.unnamed?.contents ?? [])
        let space = try FileSystemSpace(at: staged.layout.root)
        if let (checkpoint, sink) = Self.resume(staged, download, digest, space) {
            self.sink = sink
            tally = checkpoint.tally
            validator = checkpoint.validator
            patch = checkpoint.patch
            isResumed = true
            try recall(checkpoint.sink.journalLength)
            // What a list said of them is what the index says, or wrong.
            (sink.state.links, sink.state.linkSize) = ([], 0)
            try beginEntries()
            for (content, paths) in paths.enumerated() {
                if let first = paths.first, complete.contains(first) { try completed(content) }
            }
        } else {
            try staged.begin(download.identity)
            sink = try StagingSink(staged, resuming: nil, previous: nil, blockSize: space.blockSize)
            isResumed = false
            try beginEntries()
        }
        tally.linked = Int64(clamping: sink.state.linkedSize)
    }

    /// Learns what is there. What another index, or none, vouched for is held against this one.
    private func recall(_ journalLength: UInt64) throws {
        var contents: [String: Int] = [:]
        for (content, paths) in paths.enumerated() {
            for path in paths { contents[path] = content }
        }
        var wrong: Set<String> = []
        try staged.withJournal(journalLength) { bytes in
            try StagingJournal.forEachFile(bytes) { view in
                let path = String(decoding: view.path, as: UTF8.self)
                guard let content = contents[path] else {
                    wrong.insert(path)
                    return
                }
                let digest = Digest(bytes: Array(view.digest))
                if isUnnamed.contains(content) {
                    if path == paths[content].first { found[content] = digest }
                } else if digest != index.contents[content].digest {
                    wrong.insert(path)
                    dropped.insert(content)
                    return
                }
                complete.insert(path)
            }
        }
        guard !wrong.isEmpty else { return }
        try sink.remove(wrong)
        try checkpoint()
    }

    private static func resume(
        _ staged: StagedPack, _ download: PackDownload, _ digest: Digest, _ space: FileSystemSpace
    ) -> (UpdateCheckpoint, StagingSink)? {
        guard (try? StagedPack.read(StagingIdentity.self, staged.identity)) == download.identity, !staged.isSealed,
            let checkpoint = UpdateCheckpoint.read(staged), checkpoint.index == digest,
            let sink = try? StagingSink(staged, resuming: checkpoint.sink, previous: nil, blockSize: space.blockSize)
        else { return nil }
        return (checkpoint, sink)
    }

    /// Of each content, the files that hold it, below the pack's contents; none of the pack's manifest, which is not written.
    private static func paths(_ index: PackIndex) -> [[String]] {
        var paths = [[String]](repeating: [], count: index.contents.count)
        for entry in index.entries {
            guard case .file(let content, _, _) = entry.kind, let path = Self.path(of: entry) else { continue }
            paths[content].append(path)
        }
        return paths
    }

    /// Where an entry goes below the pack's contents; nil for the pack's manifest, which stays in the archive.
    private static func path(of entry: PackIndex.Entry) -> String? {
        entry.path.removing(pathPrefix: StagingSink.contentsPrefix)
    }

    /// Folders without files, and links, which are made at the end.
    private func beginEntries() throws {
        sink.state.manifestWasRead = true
        for entry in index.entries {
            switch entry.kind {
            case .file: continue
            case .folder: try sink.begin(EntryHeader(type: .directory, path: entry.path))
            case .link(let target):
                var header = EntryHeader(type: .symbolicLink, path: entry.path)
                header.linkTarget = target
                try sink.begin(header)
            }
        }
    }

    /// - Parameter index: the same one, of which more is known.
    func learn(_ index: PackIndex) { self.index = index }

    // MARK: - What is there

    /// What is there of the contents, for a planner.
    var progress: UpdateFacts.Progress {
        var progress = UpdateFacts.Progress()
        for content in paths.indices where isComplete(content) { progress.complete.insert(content) }
        if let current { progress.begun[current] = begun(current) }
        return progress
    }

    /// Whether every file that has the content is there.
    func isComplete(_ content: Int) -> Bool { paths[content].allSatisfy(complete.contains) }

    /// A complete content's file; nil when it is not there.
    func open(_ content: Int) -> OwnedDescriptor? { isComplete(content) ? openClosed(content) : nil }

    /// As `open`, also of a content whose bytes are all there and not known to be right yet.
    func openClosed(_ content: Int) -> OwnedDescriptor? {
        guard let path = paths[content].first,
            let file = try? sink.contents.borrowed.open(at: FilePath(path), .readOnly, options: .noFollow)
        else { return nil }
        return OwnedDescriptor(file)
    }

    /// How many of a content's first bytes are there.
    func begun(_ content: Int) -> Int64 {
        sink.state.current.map { $0.path == paths[content].first ? Int64(clamping: $0.written) : 0 } ?? 0
    }

    /// Whether anything is missing yet.
    var isDone: Bool { paths.indices.allSatisfy(isComplete) }

    /// The content that is being written.
    var current: Int? {
        guard let current = sink.state.current else { return nil }
        return paths.firstIndex { $0.first == current.path }
    }

    func path(of content: Int) -> String? { paths[content].first }

    /// Bytes of files that are in staging.
    var unpacked: Int64 { Int64(clamping: sink.state.installedSize + (sink.state.current?.written ?? 0)) }

    // MARK: - Local files

    /// Gives files that are local another name here, or copies them where that does not go.
    /// - Returns: contents whose local file turned out to be another one.
    /// - Throws: `Errno`, `StoreError`, what `isCancelled` throws.
    func link(_ local: [Int: LocalFile], isCancelled: () throws -> Void) throws -> Set<Int> {
        var wrong: Set<Int> = []
        for (count, content) in local.keys.sorted().enumerated() {
            guard let file = local[content] else { continue }
            if count % 256 == 255 {
                try isCancelled()
                try checkpoint()
            }
            // One that was begun otherwise before is simpler made anew.
            if current == content { try sink.abandon() }
            guard let first = paths[content].first, !complete.contains(first) else { continue }
            let isThere = try link(first, to: file) ? true : copy(file, to: first, isCancelled)
            if isThere {
                try completed(content)
            } else {
                wrong.insert(content)
            }
        }
        tally.linked = Int64(clamping: sink.state.linkedSize)
        folders = [:]
        return wrong
    }

    private func link(_ path: String, to file: LocalFile) throws -> Bool {
        do {
            if folders[file.folder] == nil {
                folders[file.folder] = OwnedDescriptorBox(
                    try OwnedDescriptor(file.folder, .readOnly, options: .directory))
            }
            guard let folder = folders[file.folder] else { return false }
            try sink.link(path, to: file, in: folder.descriptor.borrowed)
            return true
        } catch let error as Errno where !StoreError.isNoSpace(error) {
            // Another file system, too many names of it, or it is gone.
            return false
        }
    }

    private func copy(_ file: LocalFile, to path: String, _ isCancelled: () throws -> Void) throws -> Bool {
        guard let source = file.open() else { return false }
        try sink.begin(file: path, size: file.size)
        do {
            var done: UInt64 = 0
            while done < file.size {
                try isCancelled()
                let part = min(Self.copiedAtOnce, file.size - done)
                try sink.copy(part, of: source.borrowed, from: done)
                done += part
            }
        } catch let error as Errno where error == .ioError {
            try sink.abandon()
            return false
        }
        guard try sink.end(expecting: file.digest) else { return false }
        tally.copied += Int64(clamping: file.size)
        return true
    }

    /// A content's first file is complete: its others are names of that.
    func completed(_ content: Int) throws {
        guard var first = paths[content].first else { return }
        complete.insert(first)
        for path in paths[content].dropFirst() where !complete.contains(path) {
            first = try sink.link(path, within: first, digest: digest(of: content))
            complete.insert(path)
        }
        try checkpointIfDue()
    }

    private func digest(of content: Int) -> Digest { found[content] ?? index.contents[content].digest }

    /// All bytes of the content that is being written came, as a patch makes it. `endMade` follows before the next is closed.
    /// - Returns: whether that would have to wait.
    func closeMade() -> Bool {
        sink.close()
        return sink.isEndAwaited
    }

    /// Whether `endMade` would have to wait.
    var isEndAwaited: Bool { sink.isEndAwaited }

    /// The content that was closed, or the one that is being written, is complete, as a patch makes it.
    /// - Returns: false when it is not the one that is meant; one that the index does not name is taken as it is until all are there.
    /// - Throws: `Errno`, `StoreError`
    func endMade(_ content: Int) throws -> Bool {
        if isUnnamed.contains(content) {
            guard let digest = try sink.end() else { return false }
            found[content] = digest
        } else {
            guard try sink.end(expecting: index.contents[content].digest) else { return false }
        }
        try completed(content)
        return true
    }

    /// Whether the contents that the index does not name are those that are meant: until then nothing of them counts.
    var isAsListed: Bool { index.unnamed?.fits { found[$0] } ?? true }

    /// Drops the file that is being written.
    func abandon() throws { try sink.abandon() }

    // MARK: - Checkpoints

    func checkpointIfDue() throws {
        let size = Int64(clamping: sink.state.linkSize)
        if pace.isDue(written: sink.bytesWritten, size: size, now: { .now }) { try checkpoint() }
    }

    /// What is there counts from now on.
    /// - Throws: `Errno`
    func checkpoint() throws {
        let written = sink.bytesWritten
        tally.written += written - pace.written
        defer { pace.taken(written: written, at: .now) }
        try staged.writeJournal(of: sink)
        let checkpoint = UpdateCheckpoint(
            boot: StagingCheckpoint.currentBoot, index: indexDigest, sink: sink.state, tally: tally, patch: patch,
            validator: validator)
        try staged.write(checkpoint: checkpoint)
        checkpoints += 1
        if sink.bytesWritten >= lastDurable + options.durableInterval {
            lastDurable = sink.bytesWritten
            try flusher.flush(checkpoint, staged)
        }
    }

    /// Everything is there: puts it on the disk. After this the pack only needs its commit.
    /// - Throws: `StoreError`, `Errno`
    func finish(directory: String) throws -> PackSeal {
        guard isDone, isAsListed, sink.state.current == nil else {
            throw StoreError(.badArchive, "Files of the pack \(download.id) are missing after its update.")
        }
        tally.written += sink.bytesWritten - pace.written
        pace.taken(written: sink.bytesWritten, at: .now)
        flusher.wait()
        return try staged.seal(
            download, sink, of: index.archive.digest, directory: directory, hook: options.hook)
    }
}
