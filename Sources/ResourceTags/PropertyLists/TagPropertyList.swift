// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppBundles
package import System

/// A property list of On-Demand Resources, read from XML or binary and written in binary.
package protocol TagPropertyList {
    /// - Throws: `ResourceTagsError`, which names the file.
    init(_ file: PropertyListFile) throws

    var propertyList: PropertyListValue { get }
}

extension TagPropertyList {
    /// Reads the list at `path`. Blocks.
    /// - Throws: `BundleError` or `ResourceTagsError`, which name the file.
    package init(contentsOf path: FilePath) throws {
        try self.init(PropertyListFile(contentsOf: path, limits: TagPropertyListReader.limits))
    }

    /// - Parameter source: names the list in messages.
    /// - Throws: `BundleError` or `ResourceTagsError`
    package init(bytes: [UInt8], source: FilePath) throws {
        try self.init(PropertyListFile(bytes: bytes, path: source, limits: TagPropertyListReader.limits))
    }

    /// The list in its binary form; equal lists give equal bytes.
    /// - Throws: `BundleError`
    package func serialized() throws -> [UInt8] { try propertyList.binary() }
}
