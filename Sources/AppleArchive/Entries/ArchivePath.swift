// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The path rules of the format (AA 1.6), enforced on reading and on writing.
package enum ArchivePath {
    /// A path must be shorter than this, in bytes.
    package static let lengthLimit = 1024
    /// A component may have so many bytes: no file system here takes longer names.
    package static let componentLimit = 255

    /// Checks a path as an archive holds it and returns it without a leading `./`.
    /// - Parameter offset: where its entry begins, for messages.
    /// - Throws: `ArchiveError.unsafePath`
    package static func validate(_ bytes: some Collection<UInt8>, at offset: UInt64? = nil) throws -> String {
        func refuse(_ why: String) -> ArchiveError {
            let name = display(bytes)
            let place = offset.map { " at offset \($0)" } ?? ""
            return ArchiveError(.unsafePath, "The path \(name)\(place) \(why); the archive is not safe to extract.")
        }
        guard bytes.count < lengthLimit else { throw refuse("has \(bytes.count) bytes, more than 1023") }
        guard !bytes.contains(0) else { throw refuse("holds a NUL") }
        guard !bytes.isEmpty else { return "" }
        guard bytes.first != UInt8(ascii: "/") else { throw refuse("is absolute") }
        var components = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if components.first?.elementsEqual(".".utf8) == true { components.removeFirst() }
        for component in components {
            if component.isEmpty { throw refuse("has an empty component") }
            if component.elementsEqual(".".utf8) { throw refuse("has a component '.'") }
            if component.elementsEqual("..".utf8) { throw refuse("has a component '..'") }
            guard component.count <= componentLimit else {
                throw refuse("has a component of \(component.count) bytes, more than \(componentLimit)")
            }
        }
        guard
            let path = String(
                validating: components.joined(separator: CollectionOfOne(UInt8(ascii: "/"))), as: UTF8.self)
        else { throw refuse("is not UTF-8") }
        return path
    }

    /// Checks what any link target must be; whether it may leave the folder is for the extractor to say.
    static func validateLinkTarget(_ bytes: [UInt8]?, of path: String) throws -> String {
        guard let bytes, !bytes.isEmpty else {
            throw ArchiveError(.corrupt, "The symbolic link \(path) has no target (LNK).")
        }
        guard !bytes.contains(0), bytes.count < 4096, let target = String(validating: bytes, as: UTF8.self) else {
            throw ArchiveError(
                .unsafeLink, "The symbolic link \(path) has a target that is no path: \(display(bytes)).")
        }
        return target
    }

    /// Whether a symbolic link at `path` stays below the root whatever other such links are beside it: a relative
    /// target that climbs only at its start, and no higher than the root.
    package static func staysInside(target: String, of path: String) -> Bool {
        guard target.utf8.first != UInt8(ascii: "/") else { return false }
        var climbs = 0
        var descended = false
        for component in target.pathNames where component != "." {
            if component != ".." {
                descended = true
            } else if descended {
                return false
            } else {
                climbs += 1
            }
        }
        return climbs <= path.utf8.count { $0 == UInt8(ascii: "/") }
    }

    /// A hostile name made fit for one line of a terminal.
    static func display(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes.prefix(120), as: UTF8.self).unicodeScalars {
            text += scalar.value < 0x20 || scalar.value == 0x7f ? "?" : String(scalar)
        }
        return bytes.count > 120 ? "'\(text)…'" : "'\(text)'"
    }
}
