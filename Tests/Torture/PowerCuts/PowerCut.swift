// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport

/// What a disk holds after a power cut: what was flushed, and a part by chance of what was not.
struct PowerCut {
    /// In which order a file system brings names to the disk that nobody flushed.
    enum Names: String, CaseIterable {
        /// As they were made, up to some point, and all that were made before a flush of anything: ext4, XFS, Btrfs.
        case journaled
        /// Any of them, in any order: all that POSIX promises.
        case unordered
    }

    private let names: Names
    private let journalEnd: Int
    private var random: SeededGenerator
    private var chosen: [Int: Bool] = [:]
    /// How much of the contents since the last flush there is: nothing, all, or some of it.
    private let contents: Int

    init(_ model: DiskModel, _ names: Names, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        self.names = names
        contents = Int.random(in: 0...2, using: &random)
        let pending = Self.pending(model.top).filter { $0 > model.journaled }.sorted()
        let isKept = Int.random(in: 0...pending.count, using: &random)
        journalEnd = isKept == 0 ? model.journaled : pending[isKept - 1]
    }

    private static func pending(_ node: DiskModel.Node) -> Set<Int> {
        node.entries.values.reduce(into: Set(node.entryChanges.map(\.number))) { $0.formUnion(pending($1)) }
    }

    /// Writes the tree into a folder.
    /// - Parameter edit: changes contents on their way.
    mutating func write(
        _ node: DiskModel.Node, to folder: FilePath, edit: (String, [UInt8]) -> [UInt8]
    ) throws {
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: folder, permissions: .directoryPrivate)
        var done: [ObjectIdentifier: FilePath] = [:]
        try write(node, folder, edit, &done)
    }

    private mutating func write(
        _ node: DiskModel.Node, _ folder: FilePath, _ edit: (String, [UInt8]) -> [UInt8],
        _ done: inout [ObjectIdentifier: FilePath]
    ) throws {
        let here = FileDescriptor.currentDirectory
        for (name, entry) in entries(node).sorted(by: { $0.key < $1.key }) {
            let path = folder.appending(name)
            switch entry.kind {
            case .folder:
                try here.makeDirectory(at: path, permissions: .directoryPrivate)
                try write(entry, path, edit, &done)
            case .link(let target): try here.makeSymbolicLink(to: target, at: path)
            case .file:
                if let other = done[ObjectIdentifier(entry)] {
                    try here.link(from: other, to: path)
                    continue
                }
                done[ObjectIdentifier(entry)] = path
                let file = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .exclusiveCreate],
                    permissions: FilePermissions(rawValue: 0o700))
                let bytes = edit(name, bytes(entry))
                try file.closeAfter { _ = try file.writeAll(bytes) }
            }
        }
    }

    private mutating func entries(_ node: DiskModel.Node) -> [String: DiskModel.Node] {
        var entries = node.durableEntries
        for change in node.entryChanges where isThere(change.number) { entries[change.name] = change.node }
        return entries
    }

    private mutating func isThere(_ number: Int) -> Bool {
        if names == .journaled { return number <= journalEnd }
        if let known = chosen[number] { return known }
        let answer = Bool.random(using: &random)
        chosen[number] = answer
        return answer
    }

    private mutating func bytes(_ node: DiskModel.Node) -> [UInt8] {
        if contents == 0 || node.changes.isEmpty { return node.durable }
        if contents == 1 { return node.bytes }
        var bytes = node.durable
        for change in node.changes where Bool.random(using: &random) {
            switch change {
            case .write(let offset, let new) where Int.random(in: 0..<4, using: &random) == 0:
                // A write that was under way: its first pages.
                let kept = Int.random(in: 0...new.count, using: &random) / 4096 * 4096
                DiskModel.apply(.write(offset: offset, Array(new.prefix(kept))), to: &bytes)
            default: DiskModel.apply(change, to: &bytes)
            }
        }
        return bytes
    }
}
