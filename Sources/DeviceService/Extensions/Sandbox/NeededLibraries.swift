// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Finds the shared objects outside the system's folders that a program needs, as the dynamic linker would: those of a Swift
/// toolchain in `/opt` or in a home folder, most often.
///
/// Single files are shown to the extension, never their folders: the search path is the extension's own, and could name any
/// folder of the person's.
enum NeededLibraries {
    /// Folders that every extension sees.
    static let systemFolders: [FilePath] = ["/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin"]
    /// More objects than any real program needs.
    private static let limit = 512

    /// - Parameter folder: what the extension sees anyway: its app's folder.
    static func files(of executable: FilePath, visible folder: FilePath) -> [FilePath] {
        guard let program = SharedObject(at: executable) else { return [] }
        var found: [FilePath] = []
        var seen: Set<String> = []
        var pending = [(executable, program)]
        while let (path, object) = pending.popLast(), seen.count < limit {
            let origin = path.removingLastComponent()
            for name in object.needed where !name.contains("/") {
                // The linker takes the first of a name for all that need it.
                guard seen.insert(name).inserted, let library = find(name, object.searchPath, origin: origin),
                    !isVisible(library, systemFolders), let needed = SharedObject(at: library)
                else { continue }
                if !isVisible(library, [folder]) { found.append(library) }
                pending.append((library, needed))
            }
        }
        return found.sorted { $0.string < $1.string }
    }

    private static func find(_ name: String, _ searchPath: [String], origin: FilePath) -> FilePath? {
        for entry in searchPath {
            let place = Self.replacing(entry, origin: origin.string)
            guard place.hasPrefix("/") else { continue }
            let path = FilePath(place).appending(name).lexicallyNormalized()
            if FileDescriptor.currentDirectory.exists(at: path) { return path }
        }
        return nil
    }

    /// `$ORIGIN` and `${ORIGIN}` stand for the folder of the object that names them.
    private static func replacing(_ entry: String, origin: String) -> String {
        for variable in ["$ORIGIN", "${ORIGIN}"] where entry.hasPrefix(variable) {
            return origin + entry.dropFirst(variable.count)
        }
        return entry
    }

    private static func isVisible(_ path: FilePath, _ folders: [FilePath]) -> Bool {
        folders.contains { path.starts(with: $0) }
    }
}
