// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// A test's own folder and the things to be undone after it, last first.
///
///     try Scratch.with { scratch in
///         let file = try scratch.write("hello", to: "a/b.txt")
///         ...
///     }
package final class Scratch: Sendable {
    package let path: FilePath
    private let cleanups = Locked<[@Sendable () -> Void]>([])

    private init(path: FilePath) { self.path = path }

    /// Runs `body` with a new folder that is gone afterwards, whatever happens.
    package static func with<Result>(_ body: (Scratch) throws -> Result) throws -> Result {
        let directory = try TemporaryDirectory(prefix: "larder-test")
        let scratch = Scratch(path: directory.path)
        defer { scratch.cleanUp() }
        return try body(scratch)
    }

    package static func with<Result: Sendable>(
        _ body: (Scratch) async throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory(prefix: "larder-test")
        let scratch = Scratch(path: directory.path)
        defer { scratch.cleanUp() }
        return try await body(scratch)
    }

    /// Has `undo` run after the test, before what was added earlier.
    package func addCleanup(_ undo: @escaping @Sendable () -> Void) { cleanups.withLock { $0.append(undo) } }

    private func cleanUp() {
        let all = cleanups.withLock { list in
            defer { list.removeAll() }
            return list
        }
        for undo in all.reversed() { undo() }
    }

    /// A path inside the folder.
    package func callAsFunction(_ name: String) -> FilePath { path.appending(name) }

    /// Makes a file, and the folders above it.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> FilePath {
        let file = path.appending(name)
        try FileDescriptor.currentDirectory.makeDirectories(at: file.removingLastComponent())
        try AtomicFile.write(bytes, to: file, durable: false)
        return file
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> FilePath { try write(text.utf8, to: name) }

    @discardableResult
    package func makeDirectory(_ name: String) throws -> FilePath {
        let directory = path.appending(name)
        try FileDescriptor.currentDirectory.makeDirectories(at: directory)
        return directory
    }

    /// Every file and link below `name`, as paths relative to it, in bytewise order.
    package func tree(_ name: String = "") throws -> [String] {
        let base = path.appending(name)
        var found: [String] = []
        func walk(_ folder: FilePath, _ prefix: String) throws {
            for entry in try FileDescriptor.currentDirectory.entries(at: folder) {
                let relative = prefix + entry.name
                if entry.kind == .directory {
                    try walk(folder.appending(entry.name), relative + "/")
                } else {
                    found.append(relative)
                }
            }
        }
        try walk(base, "")
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
