// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// A new private directory that is removed, with all in it, when its owner goes.
package struct TemporaryDirectory: ~Copyable, Sendable {
    package let path: FilePath

    /// Those that are there now.
    private static let present = Locked<Set<FilePath>>([])

    /// - Parameters:
    ///   - prefix: begins the directory's name.
    ///   - parent: where it is made; `$TMPDIR` or `/tmp` by default.
    /// - Throws: `Errno`
    package init(prefix: String = "larder", in parent: FilePath? = nil) throws {
        let base = parent ?? FilePath(Environment.current["TMPDIR"] ?? "/tmp")
        var template = Array(base.appending("\(prefix)-XXXXXX").string.utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp) != nil }
        guard made else { throw Errno.current }
        path = FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        let path = path
        Self.present.withLock { _ = $0.insert(path) }
    }

    deinit {
        _ = try? FileDescriptor.currentDirectory.removeTree(at: path)
        let path = path
        Self.present.withLock { _ = $0.remove(path) }
    }

    /// Removes all that are there: for a process that has to end while their owners are held up.
    package static func removeAll() {
        for path in present.withLock({ $0 }) { _ = try? FileDescriptor.currentDirectory.removeTree(at: path) }
    }
}
