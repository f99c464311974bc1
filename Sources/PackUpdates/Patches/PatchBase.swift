// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Deltas
package import Kit
import System

/// The base of a group: files, or ranges of files, one after the other. Any number of threads may read at once.
package final class PatchBase: DeltaSource, Sendable {
    /// A part of the base.
    package struct Part: ~Copyable, Sendable {
        let file: OwnedDescriptor
        let offset: Int64
        let size: Int

        /// - Parameters:
        ///   - file: open for reading.
        ///   - offset: where the content begins in the file.
        ///   - size: in bytes.
        package init(file: consuming OwnedDescriptor, offset: Int64 = 0, size: Int64) {
            self.file = file
            self.offset = offset
            self.size = Int(clamping: size)
        }
    }

    private final class Node: Sendable {
        let part: Part
        let start: Int

        init(_ part: consuming Part, start: Int) {
            self.part = part
            self.start = start
        }
    }

    private let nodes: [Node]
    package let size: Int

    /// - Parameter part: gives the parts in turn, nil after the last.
    package init(_ part: () throws -> Part?) rethrows {
        var nodes: [Node] = []
        var size = 0
        while let part = try part() {
            let count = part.size
            nodes.append(Node(part, start: size))
            size += count
        }
        self.nodes = nodes
        self.size = size
    }

    /// - Throws: `Errno`; `PackUpdateError.io` when a file is shorter than it should be.
    package func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var done = 0
        var index = nodes.partitionPoint { $0.start + $0.part.size <= offset }
        while done < target.count {
            guard nodes.indices.contains(index) else { throw Self.tooShort }
            let node = nodes[index]
            let inside = offset + done - node.start
            let count = min(target.count - done, node.part.size - inside)
            let room = UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count])
            try Self.fill(room, from: node.part.file.borrowed, at: node.part.offset + Int64(inside))
            done += count
            index += 1
        }
    }

    private static func fill(_ room: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64) throws
    {
        var done = 0
        while done < room.count {
            let count = try file.read(
                fromAbsoluteOffset: offset + Int64(done),
                into: UnsafeMutableRawBufferPointer(rebasing: room[done...]))
            guard count > 0 else { throw tooShort }
            done += count
        }
    }

    private static var tooShort: PackUpdateError {
        PackUpdateError(.io, "A file of the old version is shorter than it was; its new content is fetched instead.")
    }
}

extension Array {
    /// The first index for which `belongsToFirst` is false, in an array that has all others before it.
    fileprivate func partitionPoint(_ belongsToFirst: (Element) -> Bool) -> Int {
        var lower = 0
        var upper = count
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if belongsToFirst(self[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
