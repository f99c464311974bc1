// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// An open file that is closed when its owner goes. The only way the house holds descriptors across calls.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, to be used only while the owner lives.
    package let borrowed: FileDescriptor

    package init(_ descriptor: FileDescriptor) { borrowed = descriptor }

    /// Opens `path`.
    /// - Throws: `Errno`
    package init(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil
    ) throws {
        borrowed = try FileDescriptor.open(path, mode, options: options, permissions: permissions)
    }

    deinit { _ = try? borrowed.close() }

    /// Closes and reports what closing says.
    package consuming func close() throws {
        let descriptor = borrowed
        discard self
        try descriptor.close()
    }

    /// Gives the number away; whoever takes it closes it.
    package consuming func release() -> FileDescriptor {
        let descriptor = borrowed
        discard self
        return descriptor
    }
}
