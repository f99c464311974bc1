// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Kit
import System

/// SHA-256 of a file that is being written. Bytes go in as they come, or another thread reads them back: what lies in the system's
/// memory yet costs little to read, and neither the writing nor the next file waits for it.
final class StagingDigest {
    private var hasher = SHA256()
    /// So many of the file's bytes are in it, or on their way.
    private(set) var taken: UInt64 = 0
    /// Stretches that the other thread has not given back: until then that alone uses what is below and above.
    fileprivate var inFlight = 0
    private var failure: (any Error)?

    /// Takes the bytes that follow.
    func update(_ bytes: UnsafeRawBufferPointer) {
        hasher.update(bytes)
        taken += UInt64(bytes.count)
    }

    /// What is in it, and a new beginning.
    /// - Throws: what reading failed with.
    fileprivate func finish() throws -> Digest {
        defer { (taken, failure) = (0, nil) }
        let digest = hasher.finishAndReset()
        if let failure { throw failure }
        return digest
    }

    fileprivate func begin(_ range: Range<UInt64>) {
        taken = range.upperBound
        inFlight += 1
    }

    fileprivate func read(_ range: Range<UInt64>, of file: FileDescriptor) {
        guard failure == nil else { return }
        do {
            try FilePieces(file).forEach(UInt64(range.count), from: range.lowerBound) { hasher.update($0) }
        } catch {
            failure = error
        }
    }
}

/// The thread that reads back. Used from one thread.
final class StagingDigester {
    private final class Stretch {
        private let file: FileDescriptor
        private let range: Range<UInt64>
        let digest: StagingDigest

        init(_ range: Range<UInt64>, of file: FileDescriptor, _ digest: StagingDigest) {
            self.range = range
            self.file = file
            self.digest = digest
        }

        func read() { digest.read(range, of: file) }
    }

    /// As many bytes are told at once at least: a thread is not woken for less.
    private static let portion: UInt64 = 512 << 10
    /// As many stretches are on their way at most: what is far behind is no longer in memory when it is read.
    private static let most = 64

    private let thread = OrderedPipeline<Stretch>(threads: 1) { { $0.read() } }

    /// Has it read what was written since it was told last, when that is worth it.
    /// - Parameter written: bytes of the file by now, which must stay open until `wait` returns.
    func follow(_ digest: StagingDigest, _ file: FileDescriptor, to written: UInt64) {
        guard written >= digest.taken + Self.portion else { return }
        read(digest, file, to: written)
    }

    /// Has it read all that was written.
    func read(_ digest: StagingDigest, _ file: FileDescriptor, to written: UInt64) {
        guard digest.taken < written else { return }
        let range = digest.taken..<written
        digest.begin(range)
        thread.submit(Stretch(range, of: file, digest))
        while take(waiting: thread.inFlight > Self.most) {}
    }

    private func take(waiting: Bool) -> Bool {
        guard let stretch = thread.next(waiting: waiting) else { return false }
        stretch.digest.inFlight -= 1
        return true
    }

    /// Whether all is in it that it was told of.
    func isDone(_ digest: StagingDigest) -> Bool {
        while take(waiting: false) {}
        return digest.inFlight == 0
    }

    /// The digest of all that was written, once it is taken.
    /// - Throws: `Errno`
    func finish(_ digest: StagingDigest, _ file: FileDescriptor?, at written: UInt64) throws -> Digest {
        if let file { read(digest, file, to: written) }
        wait(for: digest)
        return try digest.finish()
    }

    /// Until nothing is read for it.
    func wait(for digest: StagingDigest) {
        while digest.inFlight > 0, take(waiting: true) {}
    }
}
