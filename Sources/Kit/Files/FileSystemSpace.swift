// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
package import System

/// Room on a file system.
package struct FileSystemSpace: Hashable, Sendable {
    /// Bytes an ordinary user may still write.
    package let available: Int64
    package let total: Int64
    /// The unit in which files take space, in bytes.
    package let blockSize: Int64

    package init(available: Int64, total: Int64, blockSize: Int64) {
        self.available = available
        self.total = total
        self.blockSize = blockSize
    }

    /// The space of the file system that holds `path`.
    /// - Throws: `Errno`
    package init(at path: FilePath) throws {
        var status = statvfs()
        try path.withPlatformString { name in _ = try systemCall { readSpace(name, &status) } }
        let unit = UInt64(status.f_frsize)
        available = Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: unit).partialValue)
        total = Int64(clamping: UInt64(status.f_blocks).multipliedReportingOverflow(by: unit).partialValue)
        blockSize = Int64(clamping: unit)
    }

    /// What a file of `size` bytes takes, in whole blocks.
    package func allocated(for size: Int64) -> Int64 {
        guard blockSize > 0, size > 0 else { return max(0, size) }
        let (sum, overflow) = size.addingReportingOverflow(blockSize - 1)
        return overflow ? Int64.max : sum / blockSize * blockSize
    }
}

/// The call, which in Swift shares its name with the struct's initializer.
private func readSpace(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<statvfs>) -> CInt {
    statvfs(path, status)
}
