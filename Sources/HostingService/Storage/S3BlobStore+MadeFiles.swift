// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Kit
internal import ObjectStorage
internal import System

extension S3BlobStore {
    func keep(_ made: MadeFile) async throws {
        let key = Self.archiveKey(made.stored.digest)
        // The same digest is the same content, so whoever was first has it right already.
        if try await client.object(key)?.size == made.stored.size { return }
        try await client.put(made.path, at: key, headers: Self.headers)
        try await expectWhole(made.stored.digest, size: made.stored.size)
    }

    func file(of digest: Digest, in folder: FilePath) async throws -> FilePath? {
        guard let object = try await client.object(Self.archiveKey(digest)) else { return nil }
        let path = folder.appending(digest.hex)
        let target = try await offload {
            SharedTarget(try SpoolFile.create(path, size: object.size, for: "an archive"))
        }
        _ = try await client.read(Self.archiveKey(digest)) { try target.file.borrowed.writeFully($0) }
        return path
    }
}

/// A file that is written to from whatever thread brings its bytes, one after the other.
private final class SharedTarget: Sendable {
    let file: OwnedDescriptor

    init(_ file: consuming OwnedDescriptor) { self.file = file }
}
