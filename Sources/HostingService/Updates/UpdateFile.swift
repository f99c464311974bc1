// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import Kit
internal import System

/// A file that devices update with, and what became of making it: the index of a version, or a patch that leads to it from
/// another.
struct UpdateFile: Sendable, Hashable {
    /// The version that a patch starts from.
    struct Base: Sendable, Hashable {
        let id: String
        let number: Int64
        /// The tree digest of its archive in hexadecimal digits.
        let digest: String
    }

    /// A file in the store.
    struct Stored: Sendable, Hashable {
        /// The tree digest, under which it is kept and fetched.
        let digest: Digest
        /// In bytes.
        let size: Int64
        let sha256: String
        /// Of an index that has one.
        var front: DownloadManifestPack.LarderInfo.UpdateFile.Front?
    }

    enum State: String, Sendable, CaseIterable {
        /// It is being made, or the host that made it ended.
        case pending = "PENDING"
        /// Devices are told of it.
        case listed = "LISTED"
        /// It is of no more use, and removed when no device can have been told of it any more.
        case retired = "RETIRED"
        /// Devices would not fetch clearly less with it.
        case notSmaller = "NOT_SMALLER"
        case tooSlow = "TOO_SLOW"
        /// Tried again by the next job, as one is added at the host's start and when a sweep has freed something.
        case noRoom = "NO_ROOM"
        /// There can be none.
        case impossible = "IMPOSSIBLE"
        case failed = "FAILED"
    }

    /// The version that it leads to.
    let version: String
    let app: String
    /// nil for the version's index.
    var base: Base?
    var state: State
    /// How often making it was begun and not ended.
    var attempts = 0
    var stored: Stored?
    /// What devices fetch with a patch in place of the index; nil where the index will do.
    var list: Stored?

    /// What of it is in the store.
    var digests: [Digest] { [stored, list].compactMap { $0?.digest } }
}

/// A file that was made on this machine, to be kept by its digest.
struct MadeFile: Sendable {
    let path: FilePath
    let stored: UpdateFile.Stored

    /// Reads the file to its end. Blocks.
    /// - Parameter front: of an index that has one.
    /// - Throws: `Errno`
    init(_ path: FilePath, front: DownloadManifestPack.LarderInfo.UpdateFile.Front? = nil) throws {
        let file = try OwnedDescriptor(path, .readOnly)
        var (tree, plain) = (TreeDigest(), SHA256())
        try withUnsafeTemporaryAllocation(byteCount: TreeDigest.spanSize, alignment: 4096) { buffer in
            while true {
                let count = try file.borrowed.read(into: buffer)
                if count == 0 { return }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                tree.update(bytes)
                plain.update(bytes)
            }
        }
        self.path = path
        let size = tree.length
        stored = UpdateFile.Stored(digest: tree.finish(), size: size, sha256: plain.finish().hex, front: front)
    }
}
