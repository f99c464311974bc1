// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import Synchronization
import System

/// The counter file of an app root, mapped: reading it is one load from memory.
package final class GenerationCounter: Sendable {
    private let file: MappedFile
    /// What `file` maps, at least eight bytes.
    private let word: BorrowedBytes

    /// Maps the counter of an app root, to read it.
    /// - Throws: `Errno`, `noSuchFileOrDirectory` when the app has none.
    package init(of layout: AppRootLayout) throws {
        let descriptor = try OwnedDescriptor(layout.counter, .readOnly)
        file = try MappedFile(descriptor.borrowed)
        // A page of a shorter file would end in SIGBUS instead of an answer.
        guard file.bytes.count >= MemoryLayout<UInt64>.size else { throw Errno.noSuchFileOrDirectory }
        word = BorrowedBytes(buffer: file.bytes)
    }

    @inline(__always)
    package var value: UInt64 {
        guard let address = word.buffer.baseAddress else { return 0 }
        return UInt64(
            littleEndian: address.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring))
    }

    /// Stores a number in the counter file, made when it is missing. The service alone does this.
    ///
    /// The file is written in place, never replaced: readers keep the mapping for as long as they live. It is written by a
    /// call and not through a mapping, so that a full disk is an error and no signal. A reader that should catch the word
    /// half-written sees a number that it does not know, and looks again, as it would anyway.
    /// - Throws: `Errno`
    package static func store(_ value: UInt64, in layout: AppRootLayout) throws {
        let file = try OwnedDescriptor(
            layout.counter, .writeOnly, options: .create, permissions: FilePermissions(rawValue: 0o644))
        let written = try withUnsafeBytes(of: value.littleEndian) {
            try file.borrowed.write(toAbsoluteOffset: 0, $0)
        }
        guard written == MemoryLayout<UInt64>.size else { throw Errno.noSpace }
    }
}
