// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import System

extension ArchiveWriter {
    /// Adds all that is below a folder, sorted by path in byte order, a folder before what is in it. Devices, pipes and
    /// sockets are left out.
    /// - Parameter name: the folder's own name in the archive; nil has the archive's root stand for it.
    /// - Throws: `ArchiveError`
    package func appendTree(_ folder: FilePath, as name: String? = nil) throws {
        let here = FileDescriptor.currentDirectory
        do {
            if let name {
                let status = try here.status(at: folder, followingLinks: true)
                try append(EntryHeader(type: .directory, path: name, status: status))
            }
            for path in try Self.paths(below: folder) {
                let place = name.map { $0 + "/" + path } ?? path
                let file = folder.appending(path)
                let status = try here.status(at: file)
                switch status.kind {
                case .regular:
                    try append(
                        EntryHeader(type: .regularFile, path: place, status: status),
                        data: FileDataSource(path: file, status: status))
                case .directory:
                    try append(EntryHeader(type: .directory, path: place, status: status))
                case .symbolicLink:
                    var entry = EntryHeader(type: .symbolicLink, path: place, status: status)
                    entry.linkTarget = try here.readLink(at: file)
                    try append(entry)
                case .other: break
                }
            }
        } catch let error as Errno {
            throw ArchiveError(.inputOutput, "\(folder) cannot be read.", cause: error)
        }
    }

    /// Every path below a folder, sorted as the archive wants them.
    private static func paths(below folder: FilePath) throws -> [String] {
        var result: [String] = []
        func walk(_ prefix: String) throws {
            for entry in try FileDescriptor.currentDirectory.entries(at: folder.appending(prefix)) {
                let path = prefix.isEmpty ? entry.name : prefix + "/" + entry.name
                result.append(path)
                if entry.kind == .directory { try walk(path) }
            }
        }
        try walk("")
        return result.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension EntryHeader {
    /// An entry with the attributes that the file system gives a file.
    package init(type: EntryType, path: String, status: FileStatus) {
        self.init(type: type, path: path)
        mode = UInt16(truncatingIfNeeded: status.permissions.rawValue)
        userID = UInt64(status.userID)
        groupID = UInt64(status.groupID)
        flags = 0
        creationTime = status.modificationTime
        modificationTime = status.modificationTime
    }
}
