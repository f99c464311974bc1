// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import System

/// Links: second names of the pack's files, made when all files are there.
extension StagingSink {
    /// What a link takes beside its names, in bytes.
    private static let perLink: UInt64 = 64

    /// Notes a symbolic link.
    /// - Throws: `StoreError` when it leads out of the pack.
    func addLink(_ path: String, target: String) throws {
        let parent = Self.split(path).parent
        let resolved = FilePath("/" + parent).pushing(FilePath(target)).lexicallyNormalized()
        let joined = parent.isEmpty ? target : parent + "/" + target
        let climbs = FilePath(joined).lexicallyNormalized().components.first?.kind == .parentDirectory
        guard !target.hasPrefix("/"), !climbs, !resolved.components.isEmpty else {
            throw bad("holds the link \(path) to \(target), which leads out of the pack")
        }
        // No component of the target can be a link, because links are no directories here.
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
        let links = state.links
        var waiting = Dictionary(grouping: links, by: \.target)
        var digests = try links.isEmpty ? [:] : self.digests(of: Set(waiting.keys))
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
        if let link = links.first(where: { waiting[$0.target] != nil }) {
            let isThere = (try? contents.borrowed.status(at: FilePath(link.target))) != nil
            throw bad(
                "holds the link \(link.path) to \(link.target), which \(isThere ? "is no file" : "the pack does not hold")"
            )
        }
        state.links = []
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
        let file = try OwnedDescriptor(staged.journal, .readOnly)
        let mapping = try MappedFile(file.borrowed)
        try withExtendedLifetime(mapping) {
            let counted = mapping.bytes.prefix(Int(clamping: state.journalLength))
            try StagingJournal.forEachFile(UnsafeRawBufferPointer(rebasing: counted), note)
        }
        try journal.pending.withUnsafeBytes { try StagingJournal.forEachFile($0, note) }
        return digests
    }
}
