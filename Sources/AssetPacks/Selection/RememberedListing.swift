// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A source tree that is read once, however many selections are made from it. For one thread.
package final class RememberedListing<Base: SourceListing>: SourceListing {
    private let base: Base
    private var folders: [PackPath: [(name: String, node: SourceNode)]] = [:]
    private var nodes: [PackPath: SourceNode?] = [:]

    package init(_ base: Base) { self.base = base }

    package var rootDescription: String { base.rootDescription }

    package func node(at path: PackPath) throws -> SourceNode? {
        if let known = nodes[path] { return known }
        let node = try base.node(at: path)
        nodes[path] = .some(node)
        return node
    }

    package func children(of path: PackPath) throws -> [(name: String, node: SourceNode)] {
        if let known = folders[path] { return known }
        let children = try base.children(of: path)
        folders[path] = children
        for (name, node) in children { nodes[path.appending(name)] = .some(node) }
        return children
    }
}
