// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// The program that this process runs.
package enum CurrentExecutable {
    /// Its file, links resolved. The kernel adds " (deleted)" when it was replaced since; that is taken off.
    /// - Throws: `Errno`
    package static func path() throws -> FilePath {
        let link = try FileDescriptor.currentDirectory.readLink(at: "/proc/self/exe")
        let mark = " (deleted)"
        return FilePath(link.hasSuffix(mark) ? String(link.dropLast(mark.count)) : link)
    }
}

extension Environment {
    /// The file that `name` means: itself when it has a slash, else the first executable of that name in `PATH`.
    package static func findExecutable(_ name: String, _ environment: [String: String] = current) -> FilePath? {
        if name.contains("/") { return isExecutable(FilePath(name)) ? FilePath(name) : nil }
        for folder in (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
            let path = FilePath(String(folder)).appending(name)
            if isExecutable(path) { return path }
        }
        return nil
    }

    private static func isExecutable(_ path: FilePath) -> Bool {
        guard let status = try? FileDescriptor.currentDirectory.status(at: path, followingLinks: true) else {
            return false
        }
        return status.kind == .regular && status.permissions.rawValue & 0o111 != 0
    }
}
