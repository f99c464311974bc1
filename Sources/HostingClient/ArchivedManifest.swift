// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppleArchive
internal import AssetPacks
internal import Kit
package import System

/// Finds the manifest of a pack without reading more of its archive than is needed: it usually stands first.
package enum ArchivedManifest {
    /// Blocks.
    /// - Returns: the identifier of the archive's pack.
    /// - Throws: `ArchiveError`, `AssetPackError`, which name the file.
    package static func packID(of path: FilePath) throws -> String {
        let file = try PackInspector.open(path)
        let finder = ManifestFinder()
        let decoder = try ArchiveDecoder(sink: finder, limits: .default, threads: 0)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        do {
            while true {
                let count = try file.borrowed.readFully(into: buffer)
                if count == 0 { break }
                try decoder.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
            try decoder.finish()
        } catch is ManifestFinder.Found {
        } catch let error as ArchiveError {
            throw ArchiveError(error.code, "\(path): \(error.message)", cause: error.cause)
        } catch let error as Errno {
            throw AssetPackError(.io, "Could not read \"\(path)\": \(error.clause).", cause: nil)
        }
        guard let bytes = finder.bytes else {
            throw AssetPackError(
                .notAPack,
                "\(path) is no asset pack: it has no \"\(Packager.manifestName)\". 'larder package' makes one.")
        }
        return try PackManifest.decodeArchived(bytes, source: "\(path)/\(Packager.manifestName)").assetPackID
    }
}

/// Keeps one entry, and ends reading with it.
private final class ManifestFinder: ArchiveSink {
    struct Found: Error {}

    private(set) var bytes: [UInt8]?
    private var isReading = false

    func begin(_ entry: EntryHeader) throws {
        guard bytes == nil, entry.type == .regularFile, entry.path.lowercased() == Packager.manifestName,
            entry.dataSize <= UInt64(PackManifest.maximumSize)
        else { return }
        bytes = []
        isReading = true
    }

    func data(_ piece: UnsafeRawBufferPointer) throws {
        if isReading { bytes?.append(contentsOf: piece) }
    }

    func end() throws {
        if isReading { throw Found() }
    }
}
