// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Kit
internal import System

extension FolderBlobStore {
    func uploads() async throws -> [KeptUpload] {
        try await offload { [uploadFolder] in
            let here = FileDescriptor.currentDirectory
            var found: [KeptUpload] = []
            for folder in try here.entries(at: uploadFolder) where folder.kind == .directory {
                let path = uploadFolder.appending(folder.name)
                do {
                    var (changed, size) = (try here.status(at: path).modificationTime.seconds, Int64(0))
                    for file in try here.entries(at: path) {
                        let status = try here.status(at: path.appending(file.name))
                        changed = max(changed, status.modificationTime.seconds)
                        size += status.size
                    }
                    found.append(KeptUpload(id: folder.name, changed: changed, size: size))
                } catch Errno.noSuchFileOrDirectory {
                    // It went, or a part took another's place, while it was looked at.
                    continue
                }
            }
            return found
        }
    }

    func archives() async throws -> [(digest: Digest, size: Int64)] {
        try await offload { [archiveFolder] in
            let here = FileDescriptor.currentDirectory
            var found: [(digest: Digest, size: Int64)] = []
            for folder in try here.entries(at: archiveFolder) where folder.kind == .directory {
                let path = archiveFolder.appending(folder.name)
                for file in try here.entries(at: path) {
                    guard let digest = Digest(hex: file.name) else { continue }
                    found.append((digest, (try? here.status(at: path.appending(file.name)).size) ?? 0))
                }
            }
            return found
        }
    }

    func remove(_ digest: Digest) async throws {
        let place = place(of: digest)
        try await offload {
            do {
                try FileDescriptor.currentDirectory.remove(at: place)
            } catch Errno.noSuchFileOrDirectory {}
        }
    }
}
