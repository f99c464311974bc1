// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import FoundationEssentials
import Kit
package import System

/// A property list on the disk, XML or binary, as a dictionary.
package struct PropertyListFile: Sendable {
    /// The largest file that is read, in bytes; real ones have a few thousand.
    package static let sizeLimit = 1 << 20
    /// How deep containers may be nested.
    package static let depthLimit = 64

    package let path: FilePath
    package let values: [String: PropertyListValue]

    package init(path: FilePath, values: [String: PropertyListValue]) {
        self.path = path
        self.values = values
    }

    /// - Throws: `BundleError` naming the file.
    package init(contentsOf path: FilePath) throws {
        let bytes: [UInt8]
        do {
            let file = try OwnedDescriptor(path, .readOnly)
            bytes = try file.borrowed.readAll(limit: Self.sizeLimit)
        } catch let error as Errno {
            throw BundleError(.unreadable, "\(path) cannot be read: \(error).", cause: error)
        } catch {
            throw BundleError(.unreadable, "\(path) cannot be read.", cause: error)
        }
        try self.init(bytes: bytes, path: path)
    }

    /// - Throws: `BundleError` naming the file.
    package init(bytes: [UInt8], path: FilePath) throws {
        self.path = path
        guard Self.isBinary(bytes) || Self.isXML(bytes) else {
            throw BundleError(
                .badPropertyList, "\(path) is neither an XML nor a binary property list. Convert it to XML.")
        }
        guard Self.depth(bytes) <= Self.depthLimit else {
            throw BundleError(.badPropertyList, "\(path) nests deeper than \(Self.depthLimit) levels.")
        }
        let value: PropertyListValue
        do {
            value = try PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes))
        } catch {
            throw BundleError(
                .badPropertyList,
                "\(path) is not a property list: \(Self.describe(error)) Check it with `plutil -lint` or an XML parser."
            )
        }
        guard case .dictionary(let values) = value else {
            throw BundleError(.badPropertyList, "\(path) must hold a dictionary at its root and holds \(value.kind).")
        }
        self.values = values
    }

    /// How deep XML containers nest, so that a hostile file is refused before a recursive parser sees it. In the binary form
    /// the count stays small whatever it holds; its parser bounds itself by the number of objects.
    private static func depth(_ bytes: [UInt8]) -> Int {
        guard !isBinary(bytes) else { return 0 }
        let opening = ["<dict>", "<array>", "<dict ", "<array "].map { Array($0.utf8) }
        let closing = ["</dict", "</array"].map { Array($0.utf8) }
        var depth = 0
        var deepest = 0
        var rest = bytes[...]
        while let less = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[less...]
            if opening.contains(where: { rest.starts(with: $0) }) { depth += 1 }
            if closing.contains(where: { rest.starts(with: $0) }) { depth -= 1 }
            deepest = max(deepest, depth)
            rest = rest.dropFirst()
        }
        return deepest
    }

    private static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    /// UTF-8 with or without a byte order mark. The old text form is left out: nobody writes it, and it nests without tags.
    private static func isXML(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    private static func describe(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)." }
        if let cause = context.underlyingError { return "\(cause)." }
        return context.debugDescription
    }
}
