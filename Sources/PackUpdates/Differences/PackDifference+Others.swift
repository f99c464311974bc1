// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

extension PackDifference.Others {
    init(from old: PackIndex, to new: PackIndex) {
        let (before, after) = (Entries(old), Entries(new))
        for (path, target) in after.links where before.links[path] != target {
            links[before.links[path] == nil ? .added : .changed, default: 0] += 1
        }
        links[.removed] = before.links.keys.count { after.links[$0] == nil }
        emptyFolders[.added] = after.folders.subtracting(before.folders).count
        emptyFolders[.removed] = before.folders.subtracting(after.folders).count
        executables = after.executables.count { path, isExecutable in
            before.executables[path] == !isExecutable
        }
        isManifestChanged = before.manifest != after.manifest
    }

    /// Entries by their paths.
    private struct Entries {
        var links: [String: String] = [:]
        var folders: Set<String> = []
        var executables: [String: Bool] = [:]
        var manifest: Digest?

        init(_ index: PackIndex) {
            for entry in index.entries {
                switch entry.kind {
                case .link(let target): links[entry.path] = target
                case .folder: folders.insert(entry.path)
                case .file(let number, _, _) where entry.path == PackIndex.manifestPath:
                    manifest = index.contents[number].digest
                case .file(_, _, let isExecutable): executables[entry.path] = isExecutable
                }
            }
        }
    }
}
