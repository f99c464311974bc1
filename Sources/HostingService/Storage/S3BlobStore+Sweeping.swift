// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Kit
internal import ObjectStorage
internal import System

extension S3BlobStore {
    func uploads() async throws -> [KeptUpload] {
        var found: [String: (changed: Int64, size: Int64)] = [:]
        func note(_ key: String, _ changed: Timestamp?, _ size: Int64) {
            let words = key.pathNames
            guard words.count == 3, words[0] == "uploads" else { return }
            let known = found[String(words[1])] ?? (0, 0)
            // What does not say when it came counts as new.
            found[String(words[1])] = (max(known.changed, changed?.seconds ?? .max), known.size + size)
        }
        try await client.list("uploads/") { note($0.key, $0.changed, $0.size) }
        for upload in try await client.openUploads("uploads/") { note(upload.key, upload.begun, 0) }
        // Some stores list open uploads by their whole keys only.
        for id in found.keys {
            for upload in try await client.openUploads(Self.fileKey(id)) {
                do {
                    for part in try await client.parts(of: upload.key, upload: upload.id) {
                        note(upload.key, part.changed, part.size)
                    }
                } catch let error as ObjectStorageError where error.code == .noUpload {}
            }
        }
        return found.map { KeptUpload(id: $0.key, changed: $0.value.changed, size: $0.value.size) }
    }

    func archives() async throws -> [(digest: Digest, size: Int64)] {
        var found: [(digest: Digest, size: Int64)] = []
        try await client.list("archives/") { object in
            guard let digest = object.key.pathNames.last.flatMap({ Digest(hex: $0) }) else { return }
            found.append((digest, object.size))
        }
        return found
    }

    func remove(_ digest: Digest) async throws {
        try await client.delete(Self.archiveKey(digest))
        forget(digest)
    }
}
