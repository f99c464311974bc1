// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What rounds wrote, kept without its bytes until the end.
///
/// Removing files would slow the next round down: ext4 looks at every inode that was freed in the last minutes before it takes
/// another, once for each file that is made.
enum Emptied {
    /// Takes the bytes out of every file of a tree.
    static func empty(_ folder: FilePath) throws {
        for entry in try FileDescriptor.currentDirectory.entries(at: folder) {
            let path = folder.appending(entry.name)
            switch entry.kind {
            case .directory: try empty(path)
            case .regular: try OwnedDescriptor(path, .writeOnly, options: .truncate).close()
            default: break
            }
        }
    }
}
