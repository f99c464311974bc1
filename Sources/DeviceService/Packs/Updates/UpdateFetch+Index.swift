// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP
import Kit
import PackUpdates
import System

extension UpdateFetch {
    /// Fetches the index, unless an attempt before did.
    /// - Throws: `Unsuitable`, `HTTPClientError` for what may pass.
    func fetchIndex() throws -> (PackIndex, Digest) {
        guard let file = download.index else { throw Unsuitable(why: "the manifest lists no index") }
        let kept = staged.directory.appending("index")
        if let bytes = try? File.read(kept, limit: PackIndex.maximumSize), SHA256.hash(bytes) == file.digest {
            return (try download.index(of: bytes, listed: file), file.digest)
        }
        let bytes = try fetchWhole(file)
        let index = try download.index(of: bytes, listed: file)
        // Kept for when this goes on: an update that begins empties the folder first.
        indexBytes = bytes
        return (index, file.digest)
    }

    /// A small file, whole.
    private func fetchWhole(_ file: PackDownload.ListedFile) throws -> [UInt8] {
        guard file.size > 0, file.size <= PackIndex.maximumSize else { throw Unsuitable(why: "its index is too large") }
        var request = HTTPRequest(url: file.url, expectedLength: file.size)
        request.permitsHost = permitsHost
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(file.size))
        do {
            try attempt.fetch(request) { transfer in
                spent.requests += 1
                _ = try transfer.waitForHead()
                try read(transfer) {
                    bytes.append(contentsOf: $0)
                    return true
                }
            }
        } catch let error as HTTPClientError where !error.isTransient && !attempt.isStopped {
            throw Unsuitable(why: error.message)
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
            guard index.archive.size == downloadSize, digest == nil || index.archive.digest.hex == digest else {
                throw UpdateFetch.Unsuitable(why: "its index is of another archive")
            }
            if let installedSize, index.installedSize != installedSize {
                throw UpdateFetch.Unsuitable(why: "its index lists other sizes than the manifest")
            }
            return index
        } catch let error as PackUpdateError {
            throw UpdateFetch.Unsuitable(why: error.message)
        }
    }
}
