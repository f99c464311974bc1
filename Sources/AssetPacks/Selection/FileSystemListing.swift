// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// The source tree on disk.
package struct FileSystemListing: SourceListing {
    package let root: FilePath

    package init(root: FilePath) { self.root = root.isEmpty ? "." : root }

    package var rootDescription: String { root.string == "." ? "the working directory" : root.string }

    package func location(of path: PackPath) -> FilePath { path.isRoot ? root : root.appending(path.string) }

    package func node(at path: PackPath) throws -> SourceNode? {
        let location = location(of: path)
        do {
            let status = try FileDescriptor.currentDirectory.status(at: location, followingLinks: path.isRoot)
            return try node(status, target: { try FileDescriptor.currentDirectory.readLink(at: location) })
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw AssetPackError(.io, "Could not look at \"\(location)\": \(error.clause).", cause: error)
        }
    }

    package func children(of path: PackPath) throws -> [(name: String, node: SourceNode)] {
        let location = location(of: path)
        do {
            let directory = OwnedDescriptor(
                try FileDescriptor.open(
                    location, .readOnly, options: path.isRoot ? .directory : [.directory, .noFollow]))
            var result: [(name: String, node: SourceNode)] = []
            for entry in try directory.borrowed.entries() {
                try refuseUnreadableName(entry.name, in: location)
                let name = FilePath(entry.name)
                let node =
                    entry.kind == .directory
                    ? .directory
                    : try node(
                        directory.borrowed.status(at: name), target: { try directory.borrowed.readLink(at: name) })
                result.append((entry.name, node))
            }
            return result
        } catch let error as AssetPackError {
            throw error
        } catch {
            throw AssetPackError(.io, "Could not read the folder \"\(location)\": \(error.clause).", cause: error)
        }
    }

    private func node(_ status: FileStatus, target: () throws -> String) throws -> SourceNode {
        switch status.kind {
        case .regular:
            .file(size: status.size, isExecutable: status.permissions.contains(.ownerExecute))
        case .directory: .directory
        case .symbolicLink: .link(target: try target())
        case .other: .special
        }
    }

    /// Bytes that are no UTF-8 arrive as U+FFFD; a pack's paths are UTF-8 (AA 1.2), so the file could not be found again.
    private func refuseUnreadableName(_ name: String, in location: FilePath) throws {
        guard name.unicodeScalars.contains("\u{FFFD}") else { return }
        throw AssetPackError(
            .unsupportedFile,
            "The name of \"\(location)/\(name)\" is not UTF-8. Rename the file, or exclude its folder.")
    }
}
