// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Crypto
import Deltas
import FuzzSupport
import Kit
import PackUpdates
import System
import TestSupport

/// Mutated patches, fed in pieces of any size, must give right contents, each once, and give up the others; or end in one
/// clear error. Mutated lists tell a pack that a planner takes, or end so.
@main
enum PackPatchFuzz {
    static func main() throws {
        let folder = try TemporaryDirectory(prefix: "fuzz-pack-patch")
        let versions = try Versions(folder.path)
        let lists = try Lists(versions)
        try Fuzzer(name: "fuzz-pack-patch").run(corpus: [versions.patch] + lists.corpus) { input, generator in
            try lists.check(input)
            let sink = CheckingSink(versions)
            do {
                var reader = PatchTableReader(
                    index: versions.new.index, indexDigest: versions.new.indexDigest,
                    base: versions.old.index.archive.digest, old: lists.base)
                var applier: PatchApplier?
                var offset = 0
                while offset < input.count {
                    let end = min(input.count, offset + Int.random(in: 1...4000, using: &generator))
                    try input[offset..<end].withUnsafeBytes { bytes in
                        let taken = try reader.take(bytes)
                        if applier == nil, let table = reader.table {
                            applier = try PatchApplier(
                                table, ranges: reader.deltaRanges, index: versions.new.index,
                                groups: Array(table.groups.indices), sink: sink)
                        }
                        try applier?.take(
                            Int64(offset + taken), UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken)))
                    }
                    offset = end
                }
                try applier?.finish()
            } catch let error as PackUpdateError {
                try Finding.require(!error.message.isEmpty, "an error without a message")
            }
        }
    }
}

/// Lists of the new version, coded and as they are.
private struct Lists {
    let corpus: [[UInt8]]
    private let versions: Versions
    let base: PackListBase

    init(_ versions: Versions) throws {
        self.versions = versions
        let files = versions.old.index.entries.compactMap { entry -> PackListBase.File? in
            guard case .file(let number, _, _) = entry.kind, entry.path.hasPrefix("Contents/") else { return nil }
            let content = versions.old.index.contents[number]
            return .init(path: String(entry.path.dropFirst(9)), size: content.size, digest: content.digest)
        }
        guard let base = PackListBase(files: files),
            let list = try PackList.make(from: versions.old.index, to: versions.new, leastSaving: -10_000)
        else { throw Finding("no list was made") }
        self.base = base
        let head = PackList.headSize
        let size = list[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        let plain = try PrefixedStream.decode(list[head...], prefix: base.bytes, size: size)
        corpus = [list, list[..<head] + [0] + plain]
    }

    func check(_ input: [UInt8]) throws {
        let archive = versions.new.index.archive
        do {
            let index = try PackList.read(
                input, forIndex: versions.new.indexDigest, base: base, archiveSize: archive.size, digest: archive.digest
            )
            var local = LocalContents(for: index)
            local.add(versions.old.index, as: 0)
            let patch = UpdateFacts.Patch(
                size: 100, groups: [.init(targets: Array(index.contents.indices), isUsable: true, range: 80..<100)])
            for patches in [[], [patch]] {
                let facts = UpdateFacts(ranges: .single, patches: patches)
                let plan = UpdatePlanner(target: index, local: local, facts: facts).plan()
                try Finding.require(plan.blocks.isEmpty, "blocks of which nobody knows the place")
            }
        } catch let error as PackUpdateError {
            try Finding.require(!error.message.isEmpty, "an error without a message")
        }
    }
}

/// Two versions of a pack, and the patch between them.
private struct Versions {
    let old: PatchVersion
    let new: PatchVersion
    let patch: [UInt8]
    /// Files with the contents of the old version.
    private(set) var bases: [ContentName: FilePath] = [:]

    init(_ folder: FilePath) throws {
        var generator = SeededGenerator(seed: 5)
        let text = generator.bytes(9000, redundancy: true)
        let words = generator.bytes(6000)
        let oldFiles = [text, words, generator.bytes(700)]
        let newFiles = [text + text, Array(words.dropFirst(100)) + [1], generator.bytes(40), [1, 2, 3]]
        for (name, files) in [("old.aar", oldFiles), ("new.aar", newFiles)] {
            var file = try NewFile(at: folder.appending(name))
            let descriptor = file.descriptor
            let writer = try ArchiveWriter(
                output: { try descriptor.writeFully($0) }, blockSize: 4096, threads: 1, fields: .mode)
            try writer.append(EntryHeader(type: .regularFile, path: "manifest.json"), bytes: Array(name.utf8))
            for (number, bytes) in files.enumerated() {
                try writer.append(EntryHeader(type: .regularFile, path: "Contents/\(number)"), bytes: bytes)
            }
            try writer.finish()
            try file.publish()
        }
        old = try PatchVersion(archive: folder.appending("old.aar"))
        new = try PatchVersion(archive: folder.appending("new.aar"))
        let path = folder.appending("patch")
        _ = try PatchMaker.make(from: old, to: new, at: path)
        patch = try File.read(path, limit: 1 << 20)
        for bytes in oldFiles + [Array("old.aar".utf8)] {
            let path = folder.appending(SHA256.hash(bytes).hex)
            try AtomicFile.write(bytes, to: path, durable: false)
            bases[ContentName(SHA256.hash(bytes))] = path
        }
    }
}

private final class CheckingSink: PatchSink {
    private let versions: Versions
    private var current: (content: Int, digest: SHA256)?
    private var done: Set<Int> = []

    init(_ versions: Versions) { self.versions = versions }

    func base(_ base: PatchTable.Base) throws -> PatchBase.Part? {
        guard case .old(let name) = base.source, let path = versions.bases[name] else { return nil }
        return PatchBase.Part(file: try OwnedDescriptor(path, .readOnly), size: base.size)
    }

    func begin(content: Int, at offset: Int64) throws {
        try Finding.require(offset == 0, "a content from its middle on")
        try Finding.require(current == nil, "a content within another")
        current = (content, SHA256())
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        try Finding.require(current != nil && !bytes.isEmpty, "bytes of nothing")
        current?.digest.update(bytes)
    }

    func end(content: Int) throws -> Bool {
        try Finding.require(current?.content == content && !done.contains(content), "an end without a beginning")
        guard current?.digest.finish() == versions.new.index.contents[content].digest else { return false }
        done.insert(content)
        current = nil
        return true
    }

    func fail(content: Int, because reason: any Error) throws {
        try Finding.require(done.insert(content).inserted, "a content that fails after its end")
        if current?.content == content { current = nil }
    }

    func reached(_ position: PatchPosition) {}
}
