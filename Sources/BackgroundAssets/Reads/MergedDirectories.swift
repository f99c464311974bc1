// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Foundation
internal import Kit
internal import PackNamespace
internal import System

/// Places on disk that stand for paths of the merged tree, valid until the process ends.
///
/// A path inside one pack is the file or the directory of that pack. A directory that several packs share is built once, in
/// a folder of this process: directories, and in them links to the packs' files. The generation that a place came from is
/// held, so that its files stay through updates and removals.
final class MergedDirectories: Sendable {
    private struct Directory: Hashable {
        let handle: ObjectIdentifier
        let path: String
        let packs: [Int]?
    }

    private struct State {
        /// By identity: an app that was installed anew counts its generations from the start again.
        var held: [ObjectIdentifier: NamespaceHandle] = [:]
        var built: [Directory: FilePath] = [:]
        var scratch: ProcessScratch?
    }

    private let state = Locked(State())

    /// The place of a file, or nil when there is none.
    /// - Parameter packs: numbers of the only packs to look in, in order; nil for all.
    func file(_ path: String, in handle: NamespaceHandle, packs: [Int]? = nil) throws -> URL? {
        guard let place = Self.place(of: path, in: handle, packs) else { return nil }
        hold(handle)
        return place.url(isDirectory: false)
    }

    /// The place of a directory, or nil when no pack has one. "" is the root of the merged tree.
    /// - Parameter packs: numbers of the only packs to look in, in order; nil for all.
    func directory(_ path: String, in handle: NamespaceHandle, packs: [Int]? = nil) throws -> URL? {
        let sharing = handle.table.packs(below: path).filter { packs?.contains($0) ?? true }
        guard let first = sharing.first else { return nil }
        hold(handle)
        guard sharing.count > 1 else {
            return handle.directory(ofPackAt: first).appending(path).url(isDirectory: true)
        }
        let key = Directory(handle: ObjectIdentifier(handle), path: path, packs: packs)
        return try state.withLock { state in
            if let place = state.built[key] { return place.url(isDirectory: true) }
            var scratch = try state.scratch ?? ProcessScratch()
            defer { state.scratch = scratch }
            let place = try scratch.newFolder().appending(FilePath(path).lastComponent?.string ?? "root")
            try Self.build(path, at: place, from: handle, packs)
            state.built[key] = place
            return place.url(isDirectory: true)
        }
    }

    private func hold(_ handle: NamespaceHandle) {
        state.withLock { $0.held[ObjectIdentifier(handle)] = handle }
    }

    private static func place(of path: String, in handle: NamespaceHandle, _ packs: [Int]?) -> FilePath? {
        var path = path
        return path.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            guard let packs else { return handle.table.lookup(bytes).map { handle.path(of: $0) } }
            return packs.lazy.compactMap { handle.table.lookup(bytes, inPackAt: $0) }.first.map { handle.path(of: $0) }
        }
    }

    /// What the packs have in a directory, by name, of one name the file first.
    private static func items(_ path: String, in handle: NamespaceHandle, _ packs: [Int]?) -> [DirectoryItem] {
        guard let packs else { return handle.table.list(path) ?? [] }
        return packs.flatMap { handle.table.list(path, inPackAt: $0) ?? [] }.sorted { left, right in
            if left.name != right.name { return left.name.utf8.lexicographicallyPrecedes(right.name.utf8) }
            return left.kind != .directory && right.kind == .directory
        }
    }

    private static func build(
        _ path: String, at place: FilePath, from handle: NamespaceHandle, _ packs: [Int]?
    ) throws {
        try FileDescriptor.currentDirectory.makeDirectory(at: place, permissions: .directoryPrivate)
        var last: String?
        for item in items(path, in: handle, packs) where item.name != last {
            // Where one pack has a file and another a directory, the file comes first, and a lookup finds it alone.
            last = item.name
            let below = path.isEmpty ? item.name : path + "/" + item.name
            switch item.kind {
            case .directory:
                try build(below, at: place.appending(item.name), from: handle, packs)
            case .file:
                guard let file = Self.place(of: below, in: handle, packs) else { continue }
                try FileDescriptor.currentDirectory.makeSymbolicLink(to: file.string, at: place.appending(item.name))
            }
        }
    }
}
