// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System

/// A file of a local pack, as it was recorded.
struct LocalFile: Hashable, Sendable {
    /// The folder of its version.
    let folder: FilePath
    /// Below that.
    let path: String
    let size: UInt64
    let stamp: FileStamp
    let digest: Digest

    /// Opens it, unless it is not there any more as it was recorded.
    func open() -> OwnedDescriptor? {
        guard let folder = try? OwnedDescriptor(folder, .readOnly, options: .directory),
            let file = try? folder.borrowed.open(at: FilePath(path), .readOnly, options: .noFollow)
        else { return nil }
        let owned = OwnedDescriptor(file)
        guard let status = try? file.status(), fits(status) else { return nil }
        return owned
    }

    /// Whether the file that is there now is still the one that was recorded, as far as can be told without reading it.
    var isUnchanged: Bool {
        guard let folder = try? OwnedDescriptor(folder, .readOnly, options: .directory),
            let status = try? folder.borrowed.status(at: FilePath(path))
        else { return false }
        return fits(status)
    }

    private func fits(_ status: FileStatus) -> Bool {
        status.kind == .regular && status.size == Int64(clamping: size) && FileStamp(status) == stamp
    }
}
