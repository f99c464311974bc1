// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import HTTP
internal import Kit
internal import System

/// The file that is uploaded.
final class UploadSource: Sendable {
    let name: String
    /// In bytes.
    let size: Int64
    private let file: OwnedDescriptor

    /// Blocks.
    /// - Throws: `AssetPackError`, which names it.
    init(_ path: FilePath) throws {
        file = try PackInspector.open(path)
        size = try file.borrowed.status().size
        name = path.lastComponent?.string ?? path.string
        guard size > 0 else { throw AssetPackError(.notAPack, "\(path) is empty, and no asset pack.") }
    }

    func body(_ operation: UploadOperation) -> HTTPRequestBody {
        // Keeps the file open for as long as the network thread may read.
        HTTPRequestBody(length: operation.length) { buffer, offset in
            try self.file.borrowed.read(fromAbsoluteOffset: operation.offset + offset, into: buffer)
        }
    }

    /// The MD5 of a part's bytes. Blocks.
    /// - Throws: `Errno`
    func md5(_ operation: UploadOperation) throws -> [UInt8] {
        let digest = MD5()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 512 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        var done: Int64 = 0
        while done < operation.length {
            let wanted = Int(min(Int64(buffer.count), operation.length - done))
            let count = try file.borrowed.read(
                fromAbsoluteOffset: operation.offset + done,
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            guard count > 0 else { break }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            done += Int64(count)
        }
        return digest.finish()
    }
}
