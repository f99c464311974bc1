// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

/// Tagged packs: where the app looks them up, and how they go to make room.
extension AppGenerations {
    /// A local pack's files, by paths below its directory.
    struct PackFiles {
        var id: String
        var directory: String
        var files: [String]
    }

    /// nil when the pack is not local.
    static func files(of pack: String, _ table: NamespaceTable?) -> PackFiles? {
        guard let table, let index = table.packIndex(id: pack) else { return nil }
        var files: [String] = []
        table.forEachFile(below: "", inPackAt: index) { files.append(String(decoding: $0.path, as: UTF8.self)) }
        return PackFiles(id: pack, directory: table.pack(at: index).directory, files: files)
    }

    /// Shows a pack's files in the app's base before anybody is told that it is local.
    func link(_ pack: StagedPack, _ record: PackSeal) throws {
        var files: [String] = []
        try pack.forEachFile { files.append(String(decoding: $0.path, as: UTF8.self)) }
        try links.link(record.id, files: files.sorted(), in: record.directory)
    }

    /// Shows all local tagged packs in the base in force.
    /// - Throws: `Errno`, `NamespaceError`
    func linkAll() throws {
        try turn.withLock { _ in
            try withTable(of: currentNumber()) { table in
                for pack in table?.allPacks ?? [] {
                    guard let files = Self.files(of: pack.id, table) else { continue }
                    try links.link(files.id, files: files.files, in: files.directory)
                }
            }
        }
    }

    /// Takes a local pack away with its files, unless somebody uses it. Readers that look at an older generation lose it,
    /// too: who reads resources says so.
    /// - Returns: whether it was local and is gone.
    /// - Throws: `Errno`, `NamespaceError`
    func purge(_ pack: String) throws -> Bool {
        let uses = try PackUses(of: layout)
        return try uses.whileUnused(pack) {
            guard try !remove([pack]).isEmpty else { return false }
            try turn.withLock { turn in
                let folder = layout.pack(pack)
                let here = FileDescriptor.currentDirectory
                guard here.exists(at: folder) else { return }
                for entry in try here.entries(at: folder)
                where !isSealed(pack, ContentList.version(of: entry.name)) {
                    try here.removeTree(at: folder.appending(entry.name))
                }
                collect(&turn)
            }
            return true
        } ?? false
    }
}
