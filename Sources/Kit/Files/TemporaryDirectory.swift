// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// A new private directory that is removed, with all in it, when its owner goes.
package struct TemporaryDirectory: ~Copyable, Sendable {
    package let path: FilePath

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
    }

    deinit { _ = try? FileDescriptor.currentDirectory.removeTree(at: path) }
}
