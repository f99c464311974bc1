// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HostingModel
internal import Kit
internal import System

/// Puts an upload's parts together to one file, and takes digests on the way. Blocks.
struct Assembly {
    private static let pieceSize = 1 << 20

    let upload: String
    let folder: FilePath
    let plan: UploadPlan
    let wanted: WantedDigests

    /// - Throws: `Errno`, `HostingError`
    func run() throws -> AssembledUpload {
        // With a name of its own: a host that was taken for dead may still be at it.
        let path = folder.appending(".assembled.\(Identifier.random())")
        let names = try FolderBlobStore.partNames(in: folder)
        if let missing = plan.parts.first(where: { names[$0.number] == nil }) {
            throw HostingError(.uploadLost, "Part \(missing.number) of \(plan.partCount) is missing.")
        }
        let target = try OwnedDescriptor(
            path, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .filePrivate)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        let md5 = wanted.md5 ? MD5() : nil
        var sha256 = wanted.sha256 ? SHA256() : nil
        let composite = MD5()
        for part in plan.parts {
            guard let name = names[part.number] else { continue }
            let source = try OwnedDescriptor(folder.appending(name), .readOnly)
            var length: Int64 = 0
            while true {
                let count = try source.borrowed.read(into: buffer)
                if count == 0 { break }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                try target.borrowed.writeFully(bytes)
                md5?.update(bytes)
                sha256?.update(bytes)
                length += Int64(count)
            }
            guard length == part.length else {
                throw HostingError(.storage, "Part \(part.number) has \(length) bytes instead of \(part.length).")
            }
            let digest = Hexadecimal.decode(name.drop { $0 != "-" }.dropFirst()) ?? []
            digest.withUnsafeBytes { composite.update($0) }
        }
        try target.borrowed.synchronize()
        return AssembledUpload(
            upload: upload, path: path, size: plan.fileSize, md5: md5?.finish(), sha256: sha256?.finish().bytes,
            compositeMD5: composite.finish())
    }
}
