// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

extension Packager {
    /// The block size that suits the content best, from looking at some of it. Blocks.
    /// - Throws: `AssetPackError`
    package func suitableBlockSize() throws -> Int {
        guard compression != .none else { return ArchiveWriter.defaultBlockSize }
        let root = try open(evaluation.sourceDirectory)
        do {
            let chooser = BlockSizeChooser(compression: compression, total: evaluation.selection.totalSize)
            return try chooser.choose(for: try chooser.places.map { try piece($0, of: root.borrowed) })
        } catch let error as ArchiveError {
            throw failure(error)
        }
    }

    /// A part of all files as if they stood one behind the other.
    private func piece(_ range: Range<Int64>, of root: FileDescriptor) throws -> [UInt8] {
        var piece: [UInt8] = []
        var start: Int64 = 0
        for item in evaluation.selection.items {
            guard case .file(let source, let size, _) = item.content else { continue }
            let wanted = range.clamped(to: start..<start + size)
            if !wanted.isEmpty {
                let file = try self.file(source, size, in: root)
                let count = Int(wanted.upperBound - wanted.lowerBound)
                piece += try [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
                    let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<count])
                    try file.read(at: UInt64(wanted.lowerBound - start), into: room)
                    initialized = count
                }
            }
            start += size
            if start >= range.upperBound { break }
        }
        return piece
    }
}
