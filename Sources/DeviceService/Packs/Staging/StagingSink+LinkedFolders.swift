// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackNamespace
import System

/// Links to folders: devices keep files by their paths, so what is in the folder gets second names below the link's.
extension StagingSink {
    /// Makes those links to folders that no other link has to be made for first.
    /// - Returns: whether there were any.
    /// - Throws: `StoreError`, `Errno`
    func makeFolders(_ waiting: inout [String: [Link]]) throws -> Bool {
        let ready = folders(waiting)
        guard !ready.isEmpty else { return false }
        var names: [(link: Link, digest: Digest)] = []
        var parent: (path: Substring, targets: [String])?
        let links = Set(ready.flatMap { waiting[$0] ?? [] }.map(\.path))
        let lengths = (targets: Set(ready.map(\.utf8.count)), links: Set(links.map(\.utf8.count)))
        try forEachRecord { record in
            let path = String(decoding: record.path, as: UTF8.self)
            let folder = path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
            if parent?.path.isSamePath(as: folder) != true {
                parent = (folder, [])
                try Self.forEachFolder(of: path) { folder in
                    if lengths.links.contains(folder.utf8.count), links.contains(String(folder)) {
                        throw bad("holds \(folder) both as a folder and as a link")
                    }
                    if lengths.targets.contains(folder.utf8.count), ready.contains(String(folder)) {
                        parent?.targets.append(String(folder))
                    }
                }
            }
            for target in parent?.targets ?? [] {
                guard let digest = Digest(bytes: Array(record.digest)) else { continue }
                for link in waiting[target] ?? [] {
                    let name = Link(path: link.path + Substring(path.utf8.dropFirst(target.utf8.count)), target: path)
                    try keep(name.path, name.target)
                    names.append((name, digest))
                }
            }
        }
        for target in ready { waiting[target] = nil }
        for link in links { _ = try openFolder(link) }
        for (name, digest) in names { _ = try link(name.path, within: name.target, digest: digest) }
        return true
    }

    /// The targets that are folders in which everything is there.
    private func folders(_ waiting: [String: [Link]]) -> Set<String> {
        let links = Set(waiting.values.joined().map(\.path))
        let lengths = (targets: Set(waiting.keys.map(\.utf8.count)), links: Set(links.map(\.utf8.count)))
        var ready = Set(
            waiting.keys.filter { (try? contents.borrowed.status(at: FilePath($0)).kind) == .directory })
        for target in ready {
            Self.forEachFolder(of: target) { folder in
                if lengths.links.contains(folder.utf8.count), links.contains(String(folder)) { ready.remove(target) }
            }
        }
        for link in links {
            Self.forEachFolder(of: link) { folder in
                if lengths.targets.contains(folder.utf8.count) { ready.remove(String(folder)) }
            }
        }
        return ready
    }

    /// The folders that a path goes through, without itself.
    private static func forEachFolder(of path: String, _ body: (Substring) throws -> Void) rethrows {
        for index in path.utf8.indices where path.utf8[index] == UInt8(ascii: "/") { try body(path[..<index]) }
    }
}
