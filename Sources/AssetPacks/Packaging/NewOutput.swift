// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// Small files that a command or a tool leaves: complete or not there at all, and every failure named by its path.
package enum NewOutput {
    /// Writes a file that must not be there yet.
    /// - Parameter durable: whether it is on the disk before it gets its name.
    /// - Throws: `AssetPackError`; `outputExists` when something is at `path`.
    package static func write(
        _ bytes: [UInt8], to path: FilePath, permissions: FilePermissions = .fileDefault,
        durable: Bool = false
    ) throws {
        do {
            var file = try NewFile(at: path, permissions: permissions)
            try file.descriptor.writeAll(bytes)
            if durable { try file.descriptor.synchronize() }
            try file.publish()
        } catch {
            throw Packager.describe(error, writing: path)
        }
    }

    /// Replaces a file at once.
    /// - Throws: `AssetPackError`
    package static func replace(_ bytes: [UInt8], at path: FilePath) throws {
        do {
            try AtomicFile.write(bytes, to: path, durable: false)
        } catch {
            throw Packager.describe(error, writing: path)
        }
    }
}
