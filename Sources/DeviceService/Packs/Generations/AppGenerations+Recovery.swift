// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

extension AppGenerations {
    /// Brings the app root in order after a crash at any instant: sealed packs are committed, staging that nobody wants
    /// goes, and so does every generation and version that neither the current generation nor a reader names.
    /// - Parameter wanted: ids of packs whose download will go on.
    /// - Throws: `Errno`, `StoreError`
    func recover(keeping wanted: Set<String>) throws {
        try prepare()
        try replaceDamagedGeneration()
        try storeCounter()
        let here = FileDescriptor.currentDirectory
        for entry in try here.entries(at: layout.staging) {
            let staged = StagedPack(layout: layout, id: entry.name)
            if staged.isSealed {
                do {
                    try commit(staged)
                    continue
                } catch  where !StoreError.isNoSpace(error) {
                    // The record or the files are gone: only a new download helps.
                    log.error("A staged pack cannot be committed", ["pack": entry.name, "error": "\(error)"])
                    try staged.remove()
                }
            }
            if !wanted.contains(entry.name) { try staged.remove() }
        }
        try links.removeDangling()
        try linkAll()
        collect()
    }

    /// A table that does not fit its checksum names nothing for certain. An empty one takes its place; the packs are
    /// then missing, and are fetched again.
    private func replaceDamagedGeneration() throws {
        do {
            let intact = try withCurrentTable { $0?.isIntact ?? false }
            if intact { return }
        } catch let error as NamespaceError where error.code == .damaged {
        } catch Errno.noSuchFileOrDirectory {}
        log.error("The namespace is damaged; its packs have to be fetched again", ["root": layout.root.string])
        try publishEmpty()
    }
}
