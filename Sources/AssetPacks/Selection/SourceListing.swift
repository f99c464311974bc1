// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What a place in the source tree is. Links are seen as links.
package enum SourceNode: Hashable, Sendable {
    case file(size: Int64, isExecutable: Bool)
    case directory
    case link(target: String)
    /// A fifo, a socket or a device.
    case special
}

/// A tree of files that selectors choose from.
package protocol SourceListing {
    /// How messages name the root.
    var rootDescription: String { get }

    /// What is at `path`, whose parent is known to be a folder; nil when nothing is.
    /// - Throws: `AssetPackError`
    func node(at path: PackPath) throws -> SourceNode?

    /// The names in a folder, in bytewise order.
    /// - Throws: `AssetPackError`
    func children(of path: PackPath) throws -> [(name: String, node: SourceNode)]
}
