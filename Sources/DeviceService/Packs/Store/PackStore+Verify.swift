// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Database
package import DeviceProtocol
import Kit
import PackNamespace
import System

extension PackStore {
    /// Reads all files of the app's local packs, or of one, and compares them with what was recorded when they came.
    /// - Parameter repairs: whether what is damaged is requested again; the old files stay until it is there.
    /// - Throws: `StoreError`, also when there is no such local pack; `DatabaseError`
    package func verify(app: String, pack: String?, repairs: Bool) async throws -> [LocalVerification] {
        let generations = try generations(of: app)
        let local = try await localPacks(app: app).filter { pack == nil || $0.id == pack }
        if let pack, local.isEmpty {
            throw StoreError(.notFound, "The pack \(pack) of \(app) is not local, so there is nothing to verify.")
        }
        var found: [LocalVerification] = []
        for pack in local {
            var result = try await blocking { try PackVerifier(generations, app: app).verify(pack) }
            if !result.damaged.isEmpty {
                if repairs { try await repair(app, pack) }
                // An update that is under way mends it as well.
                result.isRepairing = jobs[TransferKey(app: app, pack: pack.id)] != nil
            }
            found.append(result)
        }
        return found
    }

    /// Fetches a local version once more, as an update of itself, unless nobody says any more where it was from.
    private func repair(_ app: String, _ pack: LocalPack) async throws {
        let key = TransferKey(app: app, pack: pack.id)
        try await inTurn {
            let entry = try await database.read { try $0.localManifest(key) }
            guard let entry, entry.version == pack.version, !isClosed, jobs[key] == nil else { return }
            let request = PackRequest(app: app, pack: entry, kind: .update, foreground: true)
            try await database.write { try $0.insert(request, replacing: pack.directory) }
            await submit(request, isRepair: true)
        }
    }
}

/// Reads local packs and holds them against their lists of contents. Blocks.
struct PackVerifier {
    private let generations: AppGenerations
    private let app: String

    init(_ generations: AppGenerations, app: String) {
        self.generations = generations
        self.app = app
    }

    /// - Throws: `Errno`, `NamespaceError`
    func verify(_ pack: LocalPack) throws -> LocalVerification {
        var result = LocalVerification(app: app, pack: pack.id, version: pack.version)
        let folder = generations.layout.root.appending(pack.directory)
        let path = ContentList.path(of: folder)
        guard let list = ContentList(path) else {
            result.isUnknown = true
            return result
        }
        var records: [UInt8] = []
        try list.forEach { view in
            guard let record = view.record else { return }
            result.fileCount += 1
            let now = try read(record.path, in: folder)
            result.size = result.size.addingClamped(Int64(clamping: now?.size ?? 0))
            if let now, now.digest == record.digest {
                now.append(to: &records)
            } else {
                result.damaged.append(record.path)
                // It keeps what it should hold. No file has this stamp, so that no update takes it for what it was.
                var lost = record
                lost.stamp = FileStamp(inode: 0, modified: 0)
                lost.append(to: &records)
            }
        }
        result.damaged.sort()
        if !result.damaged.isEmpty {
            try records.withUnsafeBytes { try ContentList.write($0, of: list.archive, to: path) }
        }
        return result
    }

    private func read(_ path: String, in folder: FilePath) throws -> FileRecord? {
        let directory = try OwnedDescriptor(folder, .readOnly, options: .directory)
        guard let file = try? directory.borrowed.open(at: FilePath(path), .readOnly, options: .noFollow) else {
            return nil
        }
        let owned = OwnedDescriptor(file)
        let status = try owned.borrowed.status()
        guard status.kind == .regular else { return nil }
        var hash = SHA256()
        do {
            try FilePieces(owned.borrowed).forEach(UInt64(clamping: status.size)) { hash.update($0) }
        } catch Errno.ioError {
            return nil
        }
        return FileRecord(
            path: path, size: UInt64(clamping: status.size), stamp: FileStamp(status), digest: hash.finish())
    }
}
