// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit
package import ObjectStorage
internal import System

/// A storage elsewhere, and who the host is there.
package struct HostStorage: Sendable {
    package let location: S3Location
    package let credentials: S3CredentialSource
    package var sizes = S3TransferSizes()

    package init(location: S3Location, credentials: S3CredentialSource) {
        self.location = location
        self.credentials = credentials
    }
}

extension HostConfiguration {
    /// What the host's notes call its storage. Where it is reached may change without its becoming another one.
    var storageName: String { storage.map { "\($0.location)" } ?? Self.folderName }

    fileprivate static let folderName = "folder"

    /// The store that the settings name, reached once, so that what is wrong with them shows now.
    /// - Throws: `Errno`, `ObjectStorageError`
    func openBlobs() async throws -> any BlobStore {
        guard let storage else { return try await offload { [data] in try FolderBlobStore(folder: data) } }
        let client = S3Client(storage.location, credentials: storage.credentials, sizes: storage.sizes)
        let store = S3BlobStore(client, spool: data.appending("spool"), downloadLifetime: limits.downloadLifetime)
        try await store.reach()
        return store
    }
}

extension Connection {
    /// The storage that the host has noted; nil for the data folder.
    /// - Throws: `DatabaseError`
    func storageElsewhere() throws -> String? {
        let name = try first(#"SELECT "value" FROM "settings" WHERE "name" = ?"#, [.text("storage")]) { $0.text(0) }
        return name == HostConfiguration.folderName ? nil : name
    }

    /// Notes which storage the host has, and refuses another one: archives would be missing there.
    /// - Throws: `HostingError`, `DatabaseError`
    func settle(_ configuration: HostConfiguration) throws {
        let name = configuration.storageName
        let hasArchives =
            try first(#"SELECT COUNT(*) FROM "backgroundAssetVersions" WHERE "content" IS NOT NULL"#) { $0.int64(0) }
            ?? 0 > 0
            || first(#"SELECT COUNT(*) FROM "builds""#) { $0.int64(0) } ?? 0 > 0
        // Before it was noted there was the folder alone.
        let known = try setting("storage") { hasArchives ? HostConfiguration.folderName : name }
        guard known != name else { return }
        guard configuration.storageHasMoved || !hasArchives else {
            func words(_ name: String) -> String { name == HostConfiguration.folderName ? "its data folder" : name }
            throw HostingError(
                .storage,
                "This host keeps its archives in \(words(known)), and not in \(words(name)). Give it the storage that it "
                    + "had, or bring everything below archives/ to the new one and start it once with --storage-moved.")
        }
        try execute(#"UPDATE "settings" SET "value" = ? WHERE "name" = ?"#, [.text(name), .text("storage")])
    }
}
