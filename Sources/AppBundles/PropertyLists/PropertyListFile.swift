// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// A property list on the disk, XML or binary, as a dictionary.
package struct PropertyListFile: Sendable {
    /// How much of a list is read.
    package struct Limits: Hashable, Sendable {
        /// Of the file, in bytes.
        package let size: Int
        /// How many values a binary list may unfold to, one that is referred to twice counted as two.
        package let objects: Int

        package init(size: Int, objects: Int) {
            self.size = size
            self.objects = objects
        }

        /// For an `Info.plist`; real ones have a few thousand bytes.
        package static let infoPlist = Limits(size: 1 << 20, objects: 100_000)
    }

    /// How deep containers may be nested.
    package static let depthLimit = 64

    package let path: FilePath
    package let values: [String: PropertyListValue]

    package init(path: FilePath, values: [String: PropertyListValue]) {
        self.path = path
        self.values = values
    }

    /// - Throws: `BundleError` naming the file.
    package init(contentsOf path: FilePath, limits: Limits = .infoPlist) throws {
        let bytes: [UInt8]
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            bytes = try file.borrowed.readAll(limit: limits.size)
        } catch let error as Errno {
            throw BundleError(.unreadable, "\(path) cannot be read: \(error.clause).", cause: error)
        } catch {
            throw BundleError(.unreadable, "\(path) cannot be read.", cause: error)
        }
        try self.init(bytes: bytes, path: path, limits: limits)
    }

    /// - Throws: `BundleError` naming the file.
    package init(bytes: [UInt8], path: FilePath, limits: Limits = .infoPlist) throws {
        self.path = path
        guard Self.isBinary(bytes) || Self.isXML(bytes) else {
            throw BundleError(
                .badPropertyList, "\(path) is neither an XML nor a binary property list. Convert it to XML.")
        }
        let value: PropertyListValue
        do {
            value =
                Self.isBinary(bytes)
                ? try BinaryPropertyListParser.parse(bytes, objectLimit: limits.objects)
                : try XMLPropertyListParser.parse(bytes)
        } catch {
            throw BundleError(
                .badPropertyList,
                "\(path) is not a property list: \(error) Check it with `plutil -lint` or an XML parser.")
        }
        guard case .dictionary(let values) = value else {
            throw BundleError(.badPropertyList, "\(path) must hold a dictionary at its root and holds \(value.kind).")
        }
        self.values = values
    }

    private static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    /// UTF-8 with or without a byte order mark. The old text form is left out: nobody writes it, and it nests without tags.
    private static func isXML(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }
}
