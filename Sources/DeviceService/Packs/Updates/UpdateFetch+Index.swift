// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP
import Kit
import PackNamespace
import PackUpdates
import System

extension UpdateFetch {
    private static let (indexName, partsName, listName) = ("index", "index-parts", "pack-list")

    /// Fetches the list that a patch has in place of the index, unless an attempt before did.
    /// - Returns: an index that knows contents and entries only, and the SHA-256 of the one it stands in for; nil when there is no
    ///   list that is of use here, or the index is here already.
    /// - Throws: `HTTPClientError` for what may pass.
    func fetchList() throws -> (PackIndex, Digest)? {
        guard let file = download.index, !hasIndex(file),
            let (list, patch) = download.list(among: patches.map(\.listed))
        else { return nil }
        do {
            guard let base = starts.files(of: patch) else {
                throw Unsuitable(why: "the files that it starts from are not known")
            }
            let bytes = try kept(Self.listName, list) ?? fetchWhole(list)
            let index = try download.index(ofList: bytes, listed: list, base: base)
            toKeep = (Self.listName, bytes)
            return (index, file.digest)
        } catch let error as Unsuitable {
            note("its list cannot be used, so that the index is fetched: \(error.why)", in: &spent)
            return nil
        }
    }

    /// Fetches the index, or what of it is not known, unless an attempt before did.
    /// - Throws: `Unsuitable`, `HTTPClientError` for what may pass.
    func fetchIndex() throws -> (PackIndex, Digest) {
        guard let file = download.index else { throw Unsuitable(why: "the manifest lists no index") }
        var bytes = kept(Self.indexName, file)
        if bytes == nil {
            var fetch = indexFetch(file) { [self] transfer, take in
                spent.requests += 1
                try read(transfer, take)
            }
            let known = { [own] in own.flatMap { LocalVersions.foreknowledge(of: $0.folder) } }
            if let parts = try keptParts(fetch) ?? fetch.parts(known: known) {
                try download.check(parts.index)
                toKeep = (Self.partsName, parts.bytes)
                return (parts.index, file.digest)
            }
            bytes = fetch.whole
        }
        let whole = try bytes ?? fetchWhole(file)
        let index = try download.index(of: whole, listed: file)
        toKeep = (Self.indexName, whole)
        return (index, file.digest)
    }

    /// Whether an attempt before has fetched the index, or what of it was not known.
    private func hasIndex(_ file: PackDownload.ListedFile) -> Bool {
        kept(Self.indexName, file) != nil || keptParts(indexFetch(file) { _, _ in }) != nil
    }

    private func keptParts(_ fetch: IndexFetch) -> IndexFetch.Parts? {
        // They stand uncompressed.
        (try? File.read(staged.directory.appending(Self.partsName), limit: 2 * PackIndex.maximumSize))
            .flatMap(fetch.parts)
    }

    /// Learns the chunks of contents that are to be put together of blocks.
    /// - Returns: whether any came.
    func fetchChunks(_ plan: UpdatePlan, _ pipeline: UpdatePipeline) throws -> Bool {
        guard let file = download.index, pipeline.index.pendingChunks != nil, ranges != .none else { return false }
        var fetch = indexFetch(file) { [self, unowned pipeline] transfer, take in
            pipeline.tally.requests += 1
            try read(transfer, counting: pipeline, take)
        }
        let known = own.map { LocalVersions.paths(of: $0.folder) } ?? []
        guard let index = try fetch.chunks(of: plan.rebuilt(of: pipeline.index), pipeline.index, among: known) else {
            return false
        }
        pipeline.learn(index)
        return true
    }

    private func indexFetch(_ file: PackDownload.ListedFile, _ read: @escaping IndexFetch.Reading) -> IndexFetch {
        IndexFetch(file, attempt: attempt, permitsHost: permitsHost, ranges: ranges, read: read)
    }

    /// What an attempt before has fetched of a file.
    private func kept(_ name: String, _ file: PackDownload.ListedFile) -> [UInt8]? {
        let kept = try? File.read(staged.directory.appending(name), limit: PackIndex.maximumSize)
        return kept.flatMap { SHA256.hash($0) == file.digest ? $0 : nil }
    }

    private func fetchWhole(_ file: PackDownload.ListedFile) throws -> [UInt8] {
        try file.fetch(by: attempt, permitsHost: permitsHost, tooLarge: "it is too large") { transfer, take in
            spent.requests += 1
            _ = try transfer.waitForHead()
            try read(transfer, take)
        }
    }
}

extension PackDownload.ListedFile {
    /// The file whole: an index, or a list in its place.
    /// - Parameters:
    ///   - tooLarge: why one is not asked for that is larger than they are: the end of a sentence.
    ///   - read: reads the answer, and has each piece taken.
    /// - Throws: `UpdateFetch.Unsuitable`, `HTTPClientError` for what may pass.
    func fetch(
        by attempt: TransferAttempt, permitsHost: HostRule?, tooLarge: String,
        read: (_ transfer: HTTPDownload, _ take: (UnsafeRawBufferPointer) throws -> Bool) throws -> Void
    ) throws -> [UInt8] {
        guard size > 0, size <= PackIndex.maximumSize else { throw UpdateFetch.Unsuitable(why: tooLarge) }
        var request = HTTPRequest(url: url, expectedLength: size)
        request.permitsHost = permitsHost
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(size))
        do {
            try attempt.fetch(request) { transfer in
                try read(transfer) {
                    bytes.append(contentsOf: $0)
                    return true
                }
            }
        } catch let error as HTTPClientError where !error.isTransient && !attempt.isStopped {
            throw UpdateFetch.Unsuitable(why: error.message)
        }
        return bytes
    }
}

extension PackDownload {
    /// The index that bytes are, if it is the one that is listed and the archive's.
    /// - Throws: `UpdateFetch.Unsuitable`
    func index(of bytes: [UInt8], listed: ListedFile) throws -> PackIndex {
        guard SHA256.hash(bytes) == listed.digest else {
            throw UpdateFetch.Unsuitable(why: "its index is not the one that is listed")
        }
        do {
            let index = try PackIndex(decoding: bytes)
            try check(index)
            return index
        } catch let error as PackUpdateError {
            throw UpdateFetch.Unsuitable(why: error.message)
        }
    }

    /// Whether an index is that of the archive.
    /// - Throws: `UpdateFetch.Unsuitable`
    func check(_ index: PackIndex) throws {
        guard index.archive.size == downloadSize, digest == nil || index.archive.digest.hex == digest else {
            throw UpdateFetch.Unsuitable(why: "its index is of another archive")
        }
        try checkSizes(of: index)
    }

    private func checkSizes(of index: PackIndex) throws {
        if let installedSize, index.installedSize != installedSize {
            throw UpdateFetch.Unsuitable(why: "its index lists other sizes than the manifest")
        }
    }

    /// The list to fetch in place of the index, and the patch that it belongs to; nil when none saves anything.
    /// - Parameter patches: that start from what is here, the smallest first.
    func list(among patches: [ListedPatch]) -> (list: ListedFile, patch: ListedPatch)? {
        for patch in patches {
            // A patch that is not fetched needs no list.
            if let index, let list = patch.list, list.size < index.size, patch.file.size < downloadSize {
                return (list, patch)
            }
        }
        return nil
    }

    /// What the bytes of a list tell of the version.
    /// - Parameter base: what is here of the version that it starts from.
    /// - Throws: `UpdateFetch.Unsuitable`
    func index(ofList bytes: [UInt8], listed: ListedFile, base: PackListBase) throws -> PackIndex {
        guard SHA256.hash(bytes) == listed.digest else {
            throw UpdateFetch.Unsuitable(why: "it is not the one that is listed")
        }
        guard let index, let digest = digest.flatMap({ Digest(hex: $0) }) else {
            throw UpdateFetch.Unsuitable(why: "the manifest has no digest of the archive")
        }
        do {
            let found = try PackList.read(
                bytes, forIndex: index.digest, base: base, archiveSize: downloadSize, digest: digest)
            try checkSizes(of: found)
            return found
        } catch let error as any LarderError {
            throw UpdateFetch.Unsuitable(why: error.message)
        }
    }
}
