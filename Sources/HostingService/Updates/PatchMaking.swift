// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppleArchive
internal import AssetPacks
internal import Crypto
internal import Kit
internal import PackUpdates
internal import System

/// Makes one patch, in a folder on this machine that it has for itself.
struct PatchMaking: Sendable {
    enum Outcome: Sendable {
        /// A patch may have a list beside it.
        case made(MadeFile, list: MadeFile?)
        /// There is none; a sentence says why.
        case none(UpdateFile.State, String)

        /// For figures.
        var name: String {
            switch self {
            case .made: "made"
            case .none(let state, _): state.rawValue.lowercased()
            }
        }
    }

    /// A version, and its index if it has one.
    struct Version: Sendable {
        let digest: Digest
        let index: Digest?
    }

    let blobs: any BlobStore
    let folder: FilePath
    /// Seconds that making may take.
    let seconds: Int64
    /// Bytes that stay free on the disk.
    let reserve: Int64

    /// - Throws: `CancellationError`; what the store throws, and then it is to be done again; `PackUpdateError` and others
    ///   that come of the archives.
    func make(from old: Version, to new: Version) async throws -> Outcome {
        guard let newIndex = try await bring(new.index),
            let newArchive = try await blobs.file(of: new.digest, in: folder),
            let oldArchive = try await blobs.file(of: old.digest, in: folder)
        else { return .none(.impossible, "An archive or index is not in the storage any more.") }
        let oldIndex = try await bring(old.index)
        let deadline = ContinuousClock.now + .seconds(seconds)
        return try await offloadCancellable { isCancelled in
            let isOver = { isCancelled() || ContinuousClock.now >= deadline }
            do {
                let target = try PatchVersion(archive: newArchive, index: newIndex)
                let base = try PatchVersion(archive: oldArchive, index: oldIndex, isCancelled: isOver)
                return try make(from: base, to: target, isOver)
            } catch is CancellationError where !isCancelled() {
                return .none(.tooSlow, "It would take longer than \(seconds) seconds.")
            } catch let error as PackUpdateError where [.notIndexable, .tooLarge].contains(error.code) {
                return .none(.impossible, error.message)
            }
        }
    }

    private func bring(_ index: Digest?) async throws -> FilePath? {
        guard let index else { return nil }
        return try await blobs.file(of: index, in: folder)
    }

    private func make(from old: PatchVersion, to new: PatchVersion, _ isCancelled: () -> Bool) throws -> Outcome {
        let list = try PackList.make(from: old.index, to: new)
        let worth = PatchWorth(
            from: old.index, to: new.index,
            savedByList: list.map { max(0, new.indexCost(from: old.index) - Int64($0.count)) } ?? 0)
        guard !worth.isHopeless else {
            return .none(.notSmaller, "Without one a device fetches \(ByteCount.formatted(worth.costWithout)).")
        }
        let need = PatchMaker.scratchSize(from: old.index, to: new.index)
        let free = try FileSystemSpace(at: folder).available
        guard need <= free - reserve else {
            return .none(
                .noRoom,
                "Making it takes up to \(ByteCount.formatted(need)) in \(folder), where \(ByteCount.formatted(free)) are "
                    + "free.")
        }
        if worth.seemsUnrelated,
            let estimate = try PatchSample.estimate(from: old, to: new, in: folder, isCancelled: isCancelled),
            // Parts of it say what all of it comes to within some percent.
            !worth.isWorthwhile(size: estimate / 100 * 95)
        {
            return .none(
                .notSmaller,
                "By a sample it would have about \(ByteCount.formatted(estimate)), and without it a device fetches "
                    + "\(ByteCount.formatted(worth.costWithout)).")
        }
        let path = folder.appending("patch")
        let size = try PatchMaker.make(from: old, to: new, at: path, isCancelled: isCancelled).size
        guard worth.isWorthwhile(size: size) else {
            return .none(
                .notSmaller,
                "It has \(ByteCount.formatted(size)), and without it a device fetches "
                    + "\(ByteCount.formatted(worth.costWithout)).")
        }
        let listed = try list.map { bytes in
            let path = folder.appending("list")
            try AtomicFile.write(bytes, to: path, durable: false)
            return try MadeFile(path)
        }
        return .made(try MadeFile(path), list: listed)
    }
}
