// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import PackUpdates
internal import System

/// What became of an archive's index.
enum IndexMaking: Sendable {
    case made(MadeFile)
    /// The archive can have none; a sentence that says why.
    case impossible(String)

    /// Writes an index to a file. Blocks.
    /// - Parameters:
    ///   - index: or why there can be none.
    ///   - folder: where the file goes, under a name that begins with a dot.
    /// - Throws: `AssetPackError`, `ArchiveError`, `Errno`
    init(_ index: Result<PackIndex, PackUpdateError>, in folder: FilePath) throws {
        switch index {
        case .failure(let error): self = .impossible(error.message)
        case .success(let index):
            // With a name of its own: a host that was taken for dead may still be at it.
            let path = folder.appending(".index.\(Identifier.random())")
            let size = try index.write(to: path).count
            guard size <= PackIndex.maximumSize else {
                self = .impossible(
                    "The archive's index would have \(ByteCount.formatted(Int64(size))), more than devices take, so that "
                        + "they fetch the archive whole.")
                return
            }
            self = .made(try MadeFile(path))
        }
    }
}
