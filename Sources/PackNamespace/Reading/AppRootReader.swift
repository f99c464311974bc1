// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// A file opened through the namespace.
package struct OpenedFile: Sendable {
    /// The caller closes it.
    package let descriptor: FileDescriptor
    /// Bytes of the content, from the table: the file never changes, so no `fstat` is needed.
    package let size: Int
}

/// What an app reads its packs through: the merged tree of all local packs, always the newest generation (B2).
///
/// A look-up asks nobody. One load from memory tells whether the service has switched since the last call; only then is
/// the new generation opened. Any thread may call at any time.
package final class AppRootReader: Sendable {
    package let layout: AppRootLayout

    private struct State {
        var handle: NamespaceHandle?
        var counter: GenerationCounter?
        /// What the counter said before `handle` was opened.
        var seen: UInt64 = 0
    }

    private let state = Locked(State())

    package init(root: FilePath) { layout = AppRootLayout(root: root) }

    /// The generation in force. Keep it for as long as paths that came from it must stay valid.
    /// - Throws: `NamespaceError`: `notInstalled` when there is none yet, `damaged`, `system`.
    @inline(__always)
    package func current() throws -> NamespaceHandle {
        try state.withLock { state in
            if let handle = state.handle, let counter = state.counter, counter.value == state.seen { return handle }
            return try reopen(&state)
        }
    }

    @inline(never)
    private func reopen(_ state: inout State) throws -> NamespaceHandle {
        do {
            // The counter first: a switch after this moves it on, and the next call comes here again. It is mapped
            // anew, because the app may have been uninstalled and installed since.
            let counter = try GenerationCounter(of: layout)
            let seen = counter.value
            // It never says anything else again, so whatever was opened now would be held for ever.
            guard seen != AppRootLayout.retiredCounter else { throw Errno.noSuchFileOrDirectory }
            let handle = try NamespaceHandle.openCurrent(of: layout)
            state = State(handle: handle, counter: counter, seen: seen)
            return handle
        } catch {
            state = State()
            if let error = error as? NamespaceError { throw error }
            if let error = error as? Errno, error == .noSuchFileOrDirectory || error == .notDirectory {
                throw NamespaceError(
                    .notInstalled,
                    "Nothing is installed under \(layout.root). Install the app with `larder install`, and try again.")
            }
            throw NamespaceError(.system, "The namespace of \(layout.root) cannot be read.", cause: error)
        }
    }

    /// Opens a file for reading.
    /// - Parameters:
    ///   - path: relative to the root of the merged tree; a leading slash, `.` and `..` are understood.
    ///   - pack: the id of the only pack to look in; nil for all.
    /// - Throws: `NamespaceError`
    @inline(__always)
    package func open(_ path: String, inPack pack: String? = nil) throws -> OpenedFile {
        let handle = try current()
        return try find(path, inPack: pack, in: handle) { entry in
            do {
                return OpenedFile(descriptor: try handle.open(entry), size: Int(clamping: entry.size))
            } catch {
                throw NamespaceError(
                    .system, "\(handle.path(of: entry)) is in the namespace but cannot be opened. Run `larder doctor`.",
                    cause: error)
            }
        }
    }

    /// The absolute path of a file, and the handle that keeps it valid.
    /// - Throws: `NamespaceError`
    package func path(of path: String, inPack pack: String? = nil) throws -> (path: FilePath, holder: NamespaceHandle) {
        let handle = try current()
        return (try find(path, inPack: pack, in: handle) { handle.path(of: $0) }, handle)
    }

    /// Bytes of a file's content.
    /// - Throws: `NamespaceError`
    package func size(of path: String, inPack pack: String? = nil) throws -> Int64 {
        try find(path, inPack: pack, in: try current()) { Int64(clamping: $0.size) }
    }

    @inline(__always)
    private func find<Result>(
        _ path: String, inPack pack: String?, in handle: NamespaceHandle, _ body: (NamespaceEntry) throws -> Result
    ) throws -> Result {
        var number: Int?
        if let pack {
            guard let found = handle.table.packIndex(id: pack) else {
                throw NamespaceError(
                    .packNotFound, "No local asset pack has the id \"\(pack)\". Call ensureLocalAvailability first.")
            }
            number = found
        }
        var text = path
        if let result = try text.withUTF8({ bytes in
            try handle.table.lookup(UnsafeRawBufferPointer(bytes), inPackAt: number).map(body)
        }) {
            return result
        }
        text = Self.normalized(path)
        if let result = try text.withUTF8({ bytes in
            try handle.table.lookup(UnsafeRawBufferPointer(bytes), inPackAt: number).map(body)
        }) {
            return result
        }
        let place = pack.map { "the asset pack \"\($0)\"" } ?? "any local asset pack"
        throw NamespaceError(.fileNotFound, "\(path): no such file in \(place).")
    }

    /// The path without a root, `.`, `..` and doubled slashes; `..` never leaves the root of the merged tree.
    package static func normalized(_ path: String) -> String {
        FilePath(absolute: false, FilePath("/" + path).lexicallyNormalized().components).string
    }
}

extension AppRootReader {
    /// The local packs, sorted by id; none when nothing is installed.
    package func packs() throws -> [NamespacePack] {
        do {
            return try current().table.allPacks
        } catch let error as NamespaceError where error.code == .notInstalled {
            return []
        }
    }

    /// The local pack with an id, or nil.
    package func pack(id: String) throws -> NamespacePack? {
        do {
            let table = try current().table
            return table.packIndex(id: id).map(table.pack(at:))
        } catch let error as NamespaceError where error.code == .notInstalled {
            return nil
        }
    }

    /// What a directory of the merged tree holds, sorted by name; nil when there is no such directory.
    package func list(_ directory: String, inPack pack: String? = nil) throws -> [DirectoryItem]? {
        let table = try current().table
        guard let pack else { return table.list(Self.normalized(directory)) }
        guard let number = table.packIndex(id: pack) else {
            throw NamespaceError(
                .packNotFound, "No local asset pack has the id \"\(pack)\". Call ensureLocalAvailability first.")
        }
        return table.list(Self.normalized(directory), inPackAt: number)
    }
}
