// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit
package import System

/// A copy of a host's data folder as it is at one moment, while the host works on it.
///
/// Archives never change, so all that the copied database speaks of are there after it. Parts of uploads go when they were
/// processed, and archives when nobody needs them any more: parts are copied before the database and once more behind it, and
/// when something that the copied database needs has slipped through in between, all is done again. Of a host with a storage elsewhere the database alone is
/// copied.
package struct HostBackup: Sendable {
    private static let attempts = 5
    private let data: FilePath

    package init(data: FilePath) { self.data = data }

    package struct Result: Hashable, Sendable {
        /// Archives and parts.
        package var files = 0
        package var bytes: Int64 = 0
        /// Where archives and parts are, when they are not in the data folder: those are not in the copy.
        package var elsewhere: String?
    }

    /// - Throws: `HostingError` when there is something at `folder`, or no host's data to copy; `DatabaseError`, `Errno`
    package func copy(to folder: FilePath) async throws -> Result {
        let here = FileDescriptor.currentDirectory
        let source = HostConfiguration(data: data)
        guard here.exists(at: source.database) else {
            throw HostingError(.notFound, "There is no host's data in \(data). Name its folder with --data.")
        }
        guard !here.exists(at: folder) else {
            throw HostingError(.exists, "There is something at \(folder) already. A backup goes to a new folder.")
        }
        let partial = FilePath(folder.string + ".partial")
        for _ in 1...Self.attempts {
            try await offload {
                _ = try? FileDescriptor.currentDirectory.removeTree(at: partial)
                try FileDescriptor.currentDirectory.makeDirectories(at: partial, permissions: .directoryPrivate)
            }
            let result = try await copyOnce(source, to: partial)
            guard let result else { continue }
            try await offload {
                let directory = try OwnedDescriptor(partial, .readOnly, options: .directory)
                try directory.borrowed.synchronizeFileSystem()
                try FileDescriptor.currentDirectory.rename(from: partial, to: folder)
            }
            return result
        }
        throw HostingError(
            .storage, "Uploads come and go faster than they can be copied. Try again when the host is less busy.")
    }

    /// nil when the copy does not hold together.
    private func copyOnce(_ source: HostConfiguration, to partial: FilePath) async throws -> Result? {
        var result = Result()
        let copy = HostConfiguration(data: partial)
        let database = try await SQLiteDatabase.hosting(source.database)
        do {
            result.elsewhere = try await database.read { try $0.storageElsewhere() }
            if result.elsewhere == nil { try await merge("uploads", into: partial, &result) }
            try await database.copy(to: copy.database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
        guard result.elsewhere == nil else { return result }
        try await merge("uploads", into: partial, &result)
        try await merge("archives", into: partial, &result)
        return try await isWhole(copy) ? result : nil
    }

    /// Whether every file that waits to be processed has all its parts, and every version its archive and what devices update
    /// with.
    private func isWhole(_ copy: HostConfiguration) async throws -> Bool {
        let database = try await SQLiteDatabase.hosting(copy.database)
        let blobs = try FolderBlobStore(folder: copy.data)
        do {
            let (files, versions, updates) = try await database.read { store in
                (
                    try store.records(
                        .backgroundAssetUploadFiles, where: ["state": .text(UploadFileState.uploadComplete.rawValue)]),
                    try store.records(
                        .backgroundAssetVersions, where: ["state": .text(VersionState.complete.rawValue)]),
                    try store.storedUpdateFiles()
                )
            }
            await database.close()
            for file in files {
                let plan = UploadPlan(fileSize: file.integer("fileSize") ?? 1, partSize: file.integer("partSize"))
                guard try await blobs.parts(of: file.id, plan).count == plan.partCount else { return false }
            }
            for digest in versions.compactMap(VersionContent.digest) + updates.flatMap(\.digests) {
                guard try await blobs.archive(digest, for: "HEAD") != nil else { return false }
            }
            return true
        } catch {
            await database.close()
            throw error
        }
    }

    /// Copies what is in a folder of folders and not in the copy yet. What goes meanwhile is left out.
    private func merge(_ name: String, into partial: FilePath, _ result: inout Result) async throws {
        let (from, to) = (data.appending(name), partial.appending(name))
        let copied = try await offload { () throws -> Result in
            var copied = Result()
            let here = FileDescriptor.currentDirectory
            try here.makeDirectories(at: to, permissions: .directoryPrivate)
            for folder in (try? here.entries(at: from)) ?? [] where folder.kind == .directory {
                let (inner, target) = (from.appending(folder.name), to.appending(folder.name))
                try here.makeDirectories(at: target, permissions: .directoryPrivate)
                for file in (try? here.entries(at: inner)) ?? [] where file.name.first != "." {
                    let place = target.appending(file.name)
                    guard !here.exists(at: place) else { continue }
                    do {
                        try File.copy(from: inner.appending(file.name), to: place, permissions: .filePrivate)
                    } catch Errno.noSuchFileOrDirectory {
                        continue
                    }
                    copied.files += 1
                    copied.bytes += try here.status(at: place).size
                }
            }
            return copied
        }
        result.files += copied.files
        result.bytes += copied.bytes
    }
}
