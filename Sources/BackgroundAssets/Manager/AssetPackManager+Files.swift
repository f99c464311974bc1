// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation
internal import Glibc
internal import PackNamespace
public import System

extension AssetPackManager {
    /// The contents of a file, mapped into memory.
    /// - Parameters:
    ///   - path: The path from the root that all packs share.
    ///   - assetPackID: The only pack to look in; `nil` for all.
    ///   - options: How to read. Unless a mapping is asked for, the bytes are copied.
    /// - Throws: `ManagedBackgroundAssetsError.fileNotFound` when no pack on the device has the file.
    public nonisolated func contents(
        at path: FilePath, searchingInAssetPackWithID assetPackID: String? = nil,
        options: Data.ReadingOptions = .mappedIfSafe
    ) throws -> Data {
        try Self.contents(of: local.open(path, inPackWithID: assetPackID), at: path, options)
    }

    /// Takes over the file.
    @inline(__always)
    static func contents(
        of file: OpenedFile, at path: FilePath, _ options: Data.ReadingOptions
    ) throws -> Data {
        defer { _ = close(file.descriptor.rawValue) }
        guard file.size > 0 else { return Data() }
        if options.contains(.mappedIfSafe) || options.contains(.alwaysMapped) {
            if let start = mmap(nil, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.rawValue, 0),
                start != MAP_FAILED
            {
                return Data(bytesNoCopy: start, count: file.size, deallocator: .unmap)
            }
            guard options.contains(.mappedIfSafe) else {
                throw BackgroundAssetsError(.unreadable, "\(path) cannot be mapped.", cause: Errno.current)
            }
        }
        return try Self.read(file, at: path)
    }

    /// Opens a file for reading. The caller closes it.
    /// - Parameters:
    ///   - path: The path from the root that all packs share.
    ///   - assetPackID: The only pack to look in; `nil` for all.
    /// - Throws: `ManagedBackgroundAssetsError.fileNotFound` when no pack on the device has the file.
    public nonisolated func descriptor(
        for path: FilePath, searchingInAssetPackWithID assetPackID: String? = nil
    ) throws -> FileDescriptor {
        try local.open(path, inPackWithID: assetPackID).descriptor
    }

    /// The URL of a file or a directory, for as long as the process lives.
    ///
    /// A directory holds what all packs on the device have below it; where several share it, it is put together from links,
    /// which takes time: do not call this on the main thread. Prefer ``contents(at:searchingInAssetPackWithID:options:)`` and
    /// ``descriptor(for:searchingInAssetPackWithID:)`` for files. What is there does not follow later updates; ask again.
    /// - Returns: A well-formed URL, also when nothing is at the path.
    public nonisolated func url(for path: FilePath) throws -> URL { try local.url(for: path) }

    private static func read(_ file: OpenedFile, at path: FilePath) throws -> Data {
        var data = Data(count: file.size)
        var filled = 0
        while filled < file.size {
            let count = try data.withUnsafeMutableBytes { bytes in
                try systemCall {
                    pread(
                        file.descriptor.rawValue, bytes.baseAddress?.advanced(by: filled), file.size - filled, filled)
                }
            }
            guard count > 0 else {
                throw BackgroundAssetsError(
                    .unreadable, "\(path) ends after \(filled) of \(file.size) bytes. Run “larder doctor”.")
            }
            filled += count
        }
        return data
    }
}
