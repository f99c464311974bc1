// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

/// A folder of links that shows all local packs as one tree.
///
/// A folder that only one pack fills is one link, however much is in it; only where packs meet are folders made.
struct MergedFolder {
    private let handle: NamespaceHandle

    init(_ handle: NamespaceHandle) { self.handle = handle }

    /// Makes the tree at `path`, where nothing is yet.
    /// - Throws: `Errno`
    func make(at path: FilePath) throws {
        try FileDescriptor.currentDirectory.makeDirectory(at: path, permissions: .directoryPrivate)
        let folder = try OwnedDescriptor(path, .readOnly, options: .directory)
        try fill(folder.borrowed, 0..<handle.table.entryCount, prefix: 0)
    }

    /// Fills an open folder with the entries of a range, which share their first `prefix` bytes.
    private func fill(_ folder: FileDescriptor, _ range: Range<Int>, prefix: Int) throws {
        var index = range.lowerBound
        while index < range.upperBound, let entry = handle.table.entry(at: index) {
            let rest = entry.path[prefix...]
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
                let name = String(decoding: rest, as: UTF8.self)
                try folder.makeSymbolicLink(to: handle.path(of: entry).string, at: FilePath(name))
                // Packs that lost this path follow with the same bytes; the first counts.
                index = end(of: entry.path[...], index, range)
                continue
            }
            let name = String(decoding: rest[..<slash], as: UTF8.self)
            let end = end(of: entry.path[...slash], index, range)
            if folder.exists(at: FilePath(name)) {
                // One pack has a file where another has a folder: the file counts, as in listings.
            } else if (index..<end).allSatisfy({ handle.table.entry(at: $0)?.pack == entry.pack }) {
                let inside = String(decoding: entry.path[..<slash], as: UTF8.self)
                let target = handle.directory(ofPackAt: entry.pack).appending(inside)
                try folder.makeSymbolicLink(to: target.string, at: FilePath(name))
            } else {
                try folder.makeDirectory(at: FilePath(name), permissions: .directoryPrivate)
                let inner = OwnedDescriptor(try folder.openDirectory(at: FilePath(name)))
                try fill(inner.borrowed, index..<end, prefix: slash + 1)
            }
            index = end
        }
    }

    /// The number after the last entry from `start` on that begins with `bytes` (is equal to them, without a slash).
    private func end(of bytes: Slice<UnsafeRawBufferPointer>, _ start: Int, _ range: Range<Int>) -> Int {
        let isFolder = bytes.last == UInt8(ascii: "/")
        var index = start + 1
        while index < range.upperBound, let path = handle.table.entry(at: index)?.path {
            guard isFolder ? path.starts(with: bytes) : path.elementsEqual(bytes) else { break }
            index += 1
        }
        return index
    }
}
