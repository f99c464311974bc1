// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

extension TreeDigest {
    /// The digest of an open file from its start to its end, and how many bytes that were. Blocks: not for the
    /// cooperative pool.
    /// - Throws: `Errno`
    package static func hash(file: FileDescriptor) throws -> (digest: Digest, length: Int64) {
        var digest = TreeDigest()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: spanSize, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(fromAbsoluteOffset: digest.length, into: buffer)
            if count == 0 { return (digest.finish(), digest.length) }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
