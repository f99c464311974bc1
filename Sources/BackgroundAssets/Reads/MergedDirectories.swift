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
    }

    private struct State {
        /// By identity: an app that was installed anew counts its generations from the start again.
        var held: [ObjectIdentifier: NamespaceHandle] = [:]
        var built: [Directory: FilePath] = [:]
        var scratch: ProcessScratch?
    }

    private let state = Locked(State())

    /// The place of a file, or nil when there is none.
    func file(_ path: String, in handle: NamespaceHandle) throws -> URL? {
        guard let place = Self.place(of: path, in: handle) else { return nil }
        hold(handle)
        return place.url(isDirectory: false)
    }

    /// The place of a directory, or nil when no pack has one. "" is the root of the merged tree.
    func directory(_ path: String, in handle: NamespaceHandle) throws -> URL? {
        let packs = handle.table.packs(below: path)
        guard let first = packs.first else { return nil }
        hold(handle)
        guard packs.count > 1 else {
            return handle.directory(ofPackAt: first).appending(path).url(isDirectory: true)
        }
        let key = Directory(handle: ObjectIdentifier(handle), path: path)
        return try state.withLock { state in
            if let place = state.built[key] { return place.url(isDirectory: true) }
            var scratch = try state.scratch ?? ProcessScratch()
            defer { state.scratch = scratch }
            let place = try scratch.newFolder().appending(FilePath(path).lastComponent?.string ?? "root")
            try Self.build(path, at: place, from: handle)
            state.built[key] = place
            return place.url(isDirectory: true)
        }
    }

    private func hold(_ handle: NamespaceHandle) {
        state.withLock { $0.held[ObjectIdentifier(handle)] = handle }
    }

    private static func place(of path: String, in handle: NamespaceHandle) -> FilePath? {
        var path = path
        return path.withUTF8 { bytes in
            handle.table.lookup(UnsafeRawBufferPointer(bytes)).map { handle.path(of: $0) }
        }
    }

    private static func build(_ path: String, at place: FilePath, from handle: NamespaceHandle) throws {
        try FileDescriptor.currentDirectory.makeDirectory(at: place, permissions: .directoryPrivate)
        var last: String?
        for item in handle.table.list(path) ?? [] where item.name != last {
            // Where one pack has a file and another a directory, the file comes first, and a lookup finds it alone.
            last = item.name
            let below = path.isEmpty ? item.name : path + "/" + item.name
            switch item.kind {
            case .directory:
                try build(below, at: place.appending(item.name), from: handle)
            case .file:
                guard let file = Self.place(of: below, in: handle) else { continue }
                try FileDescriptor.currentDirectory.makeSymbolicLink(to: file.string, at: place.appending(item.name))
            }
        }
    }
}
