// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Kit
internal import PackUpdates
internal import System

/// What became of an archive's index.
enum IndexMaking: Sendable {
    case made(MadeFile)
    /// The archive can have none; a sentence that says why.
    case impossible(String)

    /// Blocks.
    /// - Parameter path: where it was written, if it was.
    /// - Throws: `Errno`
    init(_ outcome: Packager.IndexOutcome, at path: FilePath) throws {
        self =
            switch outcome {
            case .written(let index): .made(try MadeFile(path, front: index.front))
            case .impossible(let reason): .impossible(reason)
            }
    }

    /// A path for an index that nobody else takes: a host that was taken for dead may still be at it.
    static func newPath(in folder: FilePath) -> FilePath { folder.appending(".index.\(Identifier.random())") }
}
