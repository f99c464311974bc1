// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

extension DirectoryExtractor {
    /// Hard links (`HLC`), clones (`CLC`) and equal contents (`SLC`), by kind and number (AA 1.4).
    private func cluster(of entry: EntryHeader) -> String? {
        if let number = entry.hardLinkCluster { return "HLC \(number)" }
        if let number = entry.unsigned(.sameDataCluster) { return "SLC \(number)" }
        return entry.unsigned(.cloneCluster).map { "CLC \($0)" }
    }

    /// Makes a member that does not carry the content again from the cluster's first. False when there is no first.
    func makeClusterMember(_ entry: EntryHeader, _ name: String) throws -> Bool {
        guard let cluster = cluster(of: entry), let first = state.clusters[cluster] else { return false }
        let folder = folders.current
        if entry.hardLinkCluster != nil {
            try make(entry, name) { try systemCall { linkat(root.rawValue, first, folder.rawValue, name, 0) } }
        } else {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = try make(entry, name) {
                try systemCall { openat(folder.rawValue, name, flags, mode_t(0o600)) }
            }
            current = .file(FileDescriptor(rawValue: number))
            try readFile(first) { try data($0) }
        }
        return true
    }

    /// A complete file is its cluster's first, or becomes a hard link to it when it holds the same bytes.
    func joinCluster(_ entry: EntryHeader) throws {
        guard let cluster = cluster(of: entry) else { return }
        guard let first = state.clusters[cluster] else {
            state.clusters[cluster] = entry.path
            return
        }
        guard entry.hardLinkCluster != nil, first != entry.path, try isEqual(first, entry.path) else { return }
        let (_, name) = Self.split(entry.path)
        let folder = folders.current
        do {
            try systemCall { unlinkat(folder.rawValue, name, 0) }
            try systemCall { linkat(root.rawValue, first, folder.rawValue, name, 0) }
        } catch {
            throw failure("cannot be linked to \(first)", entry.path, error)
        }
    }

    private func isEqual(_ first: String, _ second: String) throws -> Bool {
        var whole: [UInt8] = []
        var position = 0
        var same = true
        let other = try openFile(second)
        defer { _ = try? other.close() }
        guard try root.status(at: FilePath(first)).size == other.status().size else { return false }
        try readFile(first) { bytes in
            guard same else { return }
            whole = Array(repeating: 0, count: bytes.count)
            let count = try whole.withUnsafeMutableBytes { try other.readFully(into: $0) }
            same = count == bytes.count && whole.elementsEqual(bytes)
            position += count
        }
        return same
    }

    private func openFile(_ path: String) throws -> FileDescriptor {
        FileDescriptor(rawValue: try systemCall { openat(root.rawValue, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) })
    }

    private func readFile(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        do {
            let file = OwnedDescriptor(try openFile(path))
            try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
                while true {
                    let count = try file.borrowed.read(into: buffer)
                    if count == 0 { return }
                    try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                }
            }
        } catch {
            throw failure("cannot be read again", path, error)
        }
    }
}
