// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import Kit
import PackUpdates
import System

/// Takes what a patch gives into staging, and gives it the local files that it starts from.
final class PatchStaging: PatchSink {
    private enum Use {
        /// It is there, or nobody needs it.
        case passedOver
        /// What came of it before is not there any more.
        case void
        /// Written, but for so many bytes that are there.
        case written(skipping: Int64)
    }

    private let pipeline: UpdatePipeline
    private let file: Digest
    private let bases: [ContentName: LocalFile]
    private var use = Use.passedOver
    /// A content whose bytes all came, while their digest is still being taken.
    private var closed: Int?
    /// How many checkpoints there were at the last position.
    private var checkpoints: Int
    private(set) var failed: Set<Int> = []
    /// Why the first content failed.
    private(set) var reason: String?

    /// - Parameters:
    ///   - file: SHA-256 of the patch's file.
    ///   - bases: where the old contents are that it starts from.
    init(_ pipeline: UpdatePipeline, _ file: Digest, bases: [ContentName: LocalFile]) {
        self.pipeline = pipeline
        self.file = file
        self.bases = bases
        checkpoints = pipeline.checkpoints
    }

    func base(_ base: PatchTable.Base) throws -> PatchBase.Part? {
        switch base.source {
        case .old(let name):
            guard let local = bases[name], Int64(clamping: local.size) == base.size, let file = local.open() else {
                return nil
            }
            return PatchBase.Part(file: file, size: base.size)
        case .new(let content):
            // One that came is in staging. Should it turn out wrong, so will what is made of it.
            guard let file = closed == content ? pipeline.openClosed(content) : pipeline.open(content) else {
                return nil
            }
            return PatchBase.Part(file: file, size: base.size)
        }
    }

    func begin(content: Int, at offset: Int64) throws {
        guard let path = pipeline.path(of: content), !pipeline.isComplete(content) else {
            use = .passedOver
            return
        }
        let begun = pipeline.begun(content)
        if pipeline.current == content, begun >= offset {
            use = .written(skipping: begun - offset)
        } else if offset == 0 {
            try pipeline.sink.begin(
                file: path, size: UInt64(clamping: pipeline.index.contents[content].size))
            use = .written(skipping: 0)
        } else {
            use = .void
        }
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        guard case .written(let skipping) = use else { return }
        let new = bytes.dropFirst(Int(clamping: skipping))
        use = .written(skipping: max(0, skipping - Int64(bytes.count)))
        guard !new.isEmpty else { return }
        try pipeline.sink.data(UnsafeRawBufferPointer(rebasing: new))
        pipeline.tally.patched += Int64(new.count)
    }

    func end(content: Int) throws -> Bool {
        switch use {
        case .passedOver: return true
        case .void: return false
        case .written:
            try settle()
            guard pipeline.closeMade() else { return try pipeline.endMade(content) }
            closed = content
            return true
        }
    }

    /// Waits until it is known whether all that came is right.
    /// - Throws: `Errno`, `StoreError`
    func settle() throws {
        guard let content = closed else { return }
        closed = nil
        if try !pipeline.endMade(content) { try fail(content: content, because: PackUpdateError.wrongContent) }
    }

    func fail(content: Int, because reason: any Error) throws {
        guard !pipeline.isComplete(content) else { return }
        if pipeline.current == content { try pipeline.abandon() }
        failed.insert(content)
        if self.reason == nil { self.reason = (reason as? any LarderError)?.message ?? "\(reason)" }
    }

    func reached(_ position: PatchPosition) throws {
        pipeline.patch = UpdateCheckpoint.PatchProgress(file: file, position: position)
        // A checkpoint says that all before it came: it waits until that is known.
        if closed != nil, pipeline.isEndAwaited { return }
        try settle()
        // A checkpoint within the piece, which its contents brought about, does not know yet that it came: one follows, lest what
        // is left of the patch seem more than what is missing.
        if pipeline.checkpoints > checkpoints { try pipeline.checkpoint() } else { try pipeline.checkpointIfDue() }
        checkpoints = pipeline.checkpoints
    }
}
