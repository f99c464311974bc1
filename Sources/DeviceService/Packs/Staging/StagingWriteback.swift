// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Has the disk begin to write what came of a file, by a thread of its own: a disk that is busy takes milliseconds to be told.
final class StagingWriteback {
    private final class Stretch {
        private let file: FileDescriptor
        private let range: Range<UInt64>

        init(_ file: FileDescriptor, _ range: Range<UInt64>) {
            self.file = file
            self.range = range
        }

        func begin() {
            file.beginWriting(offset: Int64(clamping: range.lowerBound), length: Int64(range.count))
        }
    }

    private let thread = OrderedPipeline<Stretch>(threads: 1) { { $0.begin() } }

    /// - Returns: false when it is still busy with what it was told before; then nothing happens.
    func begin(_ file: FileDescriptor, _ range: Range<UInt64>) -> Bool {
        guard thread.inFlight == 0 || thread.next(waiting: false) != nil else { return false }
        thread.submit(Stretch(file, range))
        return true
    }

    /// Waits until no file is in use: before one is closed.
    func finish() { _ = thread.next(waiting: true) }
}
