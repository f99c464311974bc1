// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension FilePath {
    /// The slash that an absolute path begins with.
    public struct Root: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// nil for anything but slashes.
        public init?(_ string: String) {
            guard !string.isEmpty, string.utf8.allSatisfy({ $0 == UInt8(ascii: "/") }) else { return nil }
        }

        /// The only root there is, whatever the literal.
        public init(stringLiteral value: String) {}

        init() {}

        public var string: String { "/" }
        public var description: String { string }
    }

    /// The root of an absolute path, nil for a relative one.
    public var root: Root? { isAbsolute ? Root() : nil }

    /// A path of a root, or none, and components.
    public init(root: Root?, _ components: some Collection<Component>) {
        self.init(absolute: root != nil, components)
    }

    public init(root: Root?, components: Component...) { self.init(absolute: root != nil, components) }

    public init(_ component: Component) { self.init(component.string) }

    /// The path that a NUL-terminated C string names. Bytes that are no UTF-8 are replaced.
    public init(platformString: UnsafePointer<CInterop.PlatformChar>) { self.init(String(cString: platformString)) }

    /// The path without its root.
    public func removingRoot() -> FilePath { FilePath(absolute: false, components) }

    /// Takes `prefix` off the beginning; false, and nothing done, when the path does not begin with it.
    @discardableResult
    public mutating func removePrefix(_ prefix: FilePath) -> Bool {
        guard starts(with: prefix) else { return false }
        self = FilePath(absolute: false, components.dropFirst(prefix.components.count))
        return true
    }

    public mutating func append(_ components: some Collection<Component>) {
        for component in components { append(component) }
    }

    public func appending(_ components: some Collection<Component>) -> FilePath {
        var copy = self
        copy.append(components)
        return copy
    }

    public mutating func removeAll(keepingCapacity: Bool = false) { self = FilePath() }
}

extension String {
    /// The path as a string.
    public init(decoding path: FilePath) { self = path.string }

    /// The component as a string.
    public init(decoding component: FilePath.Component) { self = component.string }

    /// The path as a string; a path of this module is always valid.
    public init?(validating path: FilePath) { self = path.string }
}
