// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One thing that a program did to a file system, by absolute paths as they were at the time.
enum DiskOperation: Sendable {
    /// A new file or folder; nothing when it is there.
    case makeFile(String)
    case makeFolder(String)
    case makeLink(String, target: String)
    case resize(String, to: Int)
    case write(String, offset: Int, bytes: [UInt8])
    case append(String, bytes: [UInt8])
    case copy(from: String, offset: Int, to: String, toOffset: Int, count: Int)
    case rename(String, to: String)
    /// Two files trade names.
    case exchange(String, with: String)
    case link(String, to: String)
    case remove(String)
    /// What a file or folder holds is on the disk from here on.
    case flush(String)
    case flushAll
}
