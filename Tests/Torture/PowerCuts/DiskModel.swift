// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport

/// A file system that knows what of it a power cut would leave: contents and names are on the disk once they were flushed;
/// of everything since, any part may be.
final class DiskModel {
    final class Node {
        enum Kind { case file, folder, link(String) }

        let kind: Kind
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        /// What was done to the contents since they were flushed.
        var changes: [Change] = []
        var entries: [String: Node] = [:]
        var durableEntries: [String: Node] = [:]
        var entryChanges: [EntryChange] = []

        init(_ kind: Kind) { self.kind = kind }
    }

    enum Change {
        case write(offset: Int, [UInt8])
        case resize(Int)
    }

    /// A name that came or went. Those of one operation bear one number: they are there all or none.
    struct EntryChange {
        var number: Int
        var name: String
        var node: Node?
    }

    /// The folder that everything is in; what lies outside is not modelled.
    let root: String
    let top = Node(.folder)
    private var number = 0
    /// The last change of a name that a flush of anything has brought to the disk, where names are journaled in order.
    private(set) var journaled = 0
    /// Reads files outside of the model, which are copied from.
    private let outside: (String) -> [UInt8]

    init(root: String, outside: @escaping (String) -> [UInt8]) {
        self.root = root
        self.outside = outside
    }

    // MARK: - Doing

    func perform(_ operation: DiskOperation) {
        switch operation {
        case .makeFile(let path): make(path, Node(.file))
        case .makeFolder(let path): make(path, Node(.folder))
        case .makeLink(let path, let target): make(path, Node(.link(target)))
        case .resize(let path, let size): node(path).map { change($0, .resize(size)) }
        case .write(let path, let offset, let bytes): node(path).map { change($0, .write(offset: offset, bytes)) }
        case .append(let path, let bytes):
            node(path).map { change($0, .write(offset: $0.bytes.count, bytes)) }
        case .copy(let from, let offset, let to, let toOffset, let count):
            let source = parts(from) == nil ? outside(from) : node(from)?.bytes ?? []
            node(to).map { change($0, .write(offset: toOffset, Array(source.dropFirst(offset).prefix(count)))) }
        case .rename(let from, let to): rename(from, to)
        case .exchange(let one, let other):
            guard let first = node(one), let second = node(other) else { return }
            number += 1
            set(one, second)
            set(other, first)
        case .link(let from, let to):
            guard let node = node(from) else { return }
            number += 1
            set(to, node)
        case .remove(let path):
            number += 1
            set(path, nil)
        case .flush(let path):
            journaled = number
            node(path).map(flush)
        case .flushAll:
            journaled = number
            flushAll(top)
        }
    }

    private func parts(_ path: String) -> [Substring]? {
        guard path == root || path.hasPrefix(root + "/") else { return nil }
        return path.dropFirst(root.count).split(separator: "/").filter { $0 != "." }
    }

    private func node(_ path: String) -> Node? {
        guard let parts = parts(path) else { return nil }
        var node = top
        for (index, part) in parts.enumerated() {
            guard var next = node.entries[String(part)] else { return nil }
            // Descriptors name the real path; only a path that was given can lead through a link.
            if case .link(let target) = next.kind, index < parts.count - 1 {
                guard let followed = node.entries[target] ?? lookUp(target, in: node) else { return nil }
                next = followed
            }
            node = next
        }
        return node
    }

    private func lookUp(_ target: String, in folder: Node) -> Node? {
        target.split(separator: "/").reduce(folder) { $0?.entries[String($1)] }
    }

    private func make(_ path: String, _ new: Node) {
        guard node(path) == nil else { return }
        number += 1
        set(path, new)
    }

    private func set(_ path: String, _ new: Node?) {
        guard let parts = parts(path), let name = parts.last,
            let folder = node(root + "/" + parts.dropLast().joined(separator: "/"))
        else { return }
        folder.entries[String(name)] = new
        folder.entryChanges.append(EntryChange(number: number, name: String(name), node: new))
    }

    private func rename(_ from: String, _ to: String) {
        guard let moved = node(from) else { return }
        number += 1
        set(to, moved)
        set(from, nil)
    }

    private func change(_ node: Node, _ change: Change) {
        Self.apply(change, to: &node.bytes)
        node.changes.append(change)
    }

    static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .resize(let size):
            if size < bytes.count {
                bytes.removeLast(bytes.count - size)
            } else {
                bytes += [UInt8](repeating: 0, count: size - bytes.count)
            }
        case .write(let offset, let new):
            if bytes.count < offset + new.count {
                bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<offset + new.count, with: new)
        }
    }

    private func flush(_ node: Node) {
        node.durable = node.bytes
        node.changes = []
        node.durableEntries = node.entries
        node.entryChanges = []
    }

    private func flushAll(_ node: Node) {
        flush(node)
        for entry in node.entries.values { flushAll(entry) }
    }
}
