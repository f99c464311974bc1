// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The keys that every bundle has, app or extension.
package enum BundleBasics {
    struct Version: Hashable {
        var short: String
        var build: String
    }

    /// A bundle id names folders, so what it may hold is strict: letters, digits, `-`, `_` and single dots between.
    package static func isIdentifier(_ text: String) -> Bool {
        guard text.utf8.count <= 155 else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
    }

    static func identifier(_ reader: inout KeyReader) -> String? {
        guard reader.has("CFBundleIdentifier") else {
            reader.note(.error, "CFBundleIdentifier", "It is missing.", "Add a string such as org.example.game.")
            return nil
        }
        guard let text = reader.string("CFBundleIdentifier") else { return nil }
        guard isIdentifier(text) else {
            reader.note(
                .error, "CFBundleIdentifier", "\"\(text)\" is no bundle id.",
                "Use up to 155 letters, digits, hyphens and single dots, such as org.example.game.")
            return nil
        }
        return text
    }

    static func version(_ reader: inout KeyReader) -> Version? {
        let short = reader.string("CFBundleShortVersionString")
        let build = reader.string("CFBundleVersion")
        guard let first = short ?? build else {
            if !reader.has("CFBundleVersion"), !reader.has("CFBundleShortVersionString") {
                reader.note(.error, "CFBundleVersion", "It is missing.", "Add a string such as 1.0.")
            }
            return nil
        }
        return Version(short: first, build: build ?? first)
    }

    /// - Parameter folder: the bundle's folder below `root`; empty for `root` itself.
    static func executable(_ reader: inout KeyReader, in root: FileDescriptor, below folder: FilePath) -> String? {
        guard reader.has("CFBundleExecutable") else {
            reader.note(
                .error, "CFBundleExecutable", "It is missing.", "Add the name of the executable file inside the bundle."
            )
            return nil
        }
        guard let name = reader.string("CFBundleExecutable") else { return nil }
        guard let component = FilePath.Component(name), component.kind == .regular else {
            reader.note(
                .error, "CFBundleExecutable", "\"\(name)\" is no file name.",
                "Write the executable's name only; it lies beside Info.plist.")
            return nil
        }
        let status = try? root.status(at: folder.appending(component), followingLinks: false)
        guard let status, status.kind == .regular else {
            reader.note(
                .error, "CFBundleExecutable", "There is no file \(name) beside Info.plist.",
                "Copy the executable into the bundle, or correct the key.")
            return nil
        }
        guard !status.permissions.isDisjoint(with: [.ownerExecute, .groupExecute, .otherExecute]) else {
            reader.note(
                .error, "CFBundleExecutable", "\(name) is not executable.", "Run `chmod +x` on it.")
            return nil
        }
        return name
    }
}
