// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import System

/// Links: second names of the pack's files, made when all files are there. One to a folder becomes a folder with second names of
/// the files in that.
extension StagingSink {
    /// What a link takes beside its names, in bytes.
    private static let perLink: UInt64 = 64
    /// As many links to folders are followed, one to the next.
    private static let mostFollowed = 40

    /// Notes a symbolic link.
    /// - Throws: `StoreError` when it leads out of the pack.
    func addLink(_ path: String, target: String) throws {
        let parent = Self.split(path).parent
        let resolved = FilePath("/" + parent).pushing(FilePath(target)).lexicallyNormalized()
        let joined = parent.isEmpty ? target : parent + "/" + target
        let climbs = FilePath(joined).lexicallyNormalized().components.first?.kind == .parentDirectory
        guard target.utf8.first != UInt8(ascii: "/"), !climbs, !resolved.components.isEmpty else {
            throw bad("holds the link \(path) to \(target), which leads out of the pack")
        }
        // A target may lead through a link to a folder only downwards: that is looked for when the folder is there.
        let link = Link(path: path, target: FilePath(absolute: false, resolved.components).string)
        try keep(link.path, link.target)
        state.links.append(link)
    }

    /// Makes the links and checks that nothing is missing. To be called when the archive is complete.
    /// - Throws: `StoreError`, `Errno`
    func finish() throws {
        guard state.manifestWasRead else {
            throw bad("has no manifest.json; package it with `ba-package`")
        }
        var waiting = Dictionary(grouping: state.links, by: \.target)
        // What one link to a folder gives, others may wait for.
        for _ in 0..<Self.mostFollowed where !waiting.isEmpty {
            try makeFiles(&waiting)
            if try waiting.isEmpty || !makeFolders(&waiting) { break }
        }
        if let link = state.links.first(where: { waiting[$0.target] != nil }) {
            let isThere = (try? contents.borrowed.status(at: FilePath(link.target))) != nil
            throw bad(
                "holds the link \(link.path) to \(link.target), which "
                    + (isThere ? "has no end, or leads on and on" : "the pack does not hold"))
        }
        state.links = []
    }

    /// Makes the links to files, and to such as lead to files.
    private func makeFiles(_ waiting: inout [String: [Link]]) throws {
        var digests = try self.digests(of: Set(waiting.keys))
        // Links may name links: one that is made may be what others wait for. Each is looked at once.
        var ready = waiting.keys.filter { digests[$0] != nil }
        while let target = ready.popLast() {
            guard let digest = digests[target] else { continue }
            var file = target
            for link in waiting.removeValue(forKey: target) ?? [] {
                file = try self.link(link.path, within: file, digest: digest)
                guard waiting[link.path] != nil else { continue }
                digests[link.path] = digest
                ready.append(link.path)
            }
        }
    }

    /// Notes names that are kept until the end.
    func keep(_ path: String, _ target: String) throws {
        state.linkSize += UInt64(path.utf8.count + target.utf8.count) + Self.perLink
        guard state.linkSize <= bounds.linkSize else {
            throw bad("holds links whose names come to more than the \(bounds.linkSize) bytes that a device keeps")
        }
    }

    /// What was recorded of files that are complete.
    private func digests(of paths: Set<String>) throws -> [String: Digest] {
        var digests: [String: Digest] = [:]
        func note(_ record: FileRecordView) {
            let path = String(decoding: record.path, as: UTF8.self)
            if paths.contains(path) { digests[path] = Digest(bytes: Array(record.digest)) }
        }
        try forEachRecord(note)
        return digests
    }

    /// Every file that is complete.
    func forEachRecord(_ body: (FileRecordView) throws -> Void) throws {
        let file = try OwnedDescriptor(staged.journal, .readOnly)
        let mapping = try MappedFile(file.borrowed)
        try withExtendedLifetime(mapping) {
            let counted = mapping.bytes.prefix(Int(clamping: state.journalLength))
            try StagingJournal.forEachFile(UnsafeRawBufferPointer(rebasing: counted), body)
        }
        try journal.pending.withUnsafeBytes { try StagingJournal.forEachFile($0, body) }
    }
}
