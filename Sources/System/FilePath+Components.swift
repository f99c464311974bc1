// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension FilePath {
    /// One name between slashes.
    public struct Component: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        public let string: String

        /// nil when the string is empty or holds a slash or a NUL.
        public init?(_ string: String) {
            guard !string.utf8.isEmpty, !string.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
                return nil
            }
            self.string = string
        }

        init(unchecked string: some StringProtocol) { self.string = String(string) }

        /// A literal with a slash is a programmer's error; only its part before the slash is kept.
        public init(stringLiteral value: String) {
            let end = value.utf8.firstIndex(of: UInt8(ascii: "/")) ?? value.endIndex
            self.init(unchecked: value[..<end])
        }

        public enum Kind: Hashable, Sendable { case currentDirectory, parentDirectory, regular }

        public var kind: Kind {
            switch string {
            case ".": .currentDirectory
            case "..": .parentDirectory
            default: .regular
            }
        }

        public var description: String { string }

        /// Whether both have the same bytes.
        public static func == (left: Component, right: Component) -> Bool { left.string.isSamePath(as: right.string) }

        /// What follows the last dot, unless the dot is the first character.
        public var `extension`: String? { split.extension }

        /// The name without its extension.
        public var stem: String { split.stem }

        private var split: (stem: String, extension: String?) {
            guard kind == .regular, let dot = string.utf8.lastIndex(of: UInt8(ascii: ".")), dot != string.startIndex
            else {
                return (string, nil)
            }
            return (String(string[..<dot]), String(string[string.utf8.index(after: dot)...]))
        }
    }

    /// The names between the slashes, without the root.
    public var components: [Component] {
        string.pathNames.map { Component(unchecked: $0) }
    }

    /// A path of a root (or none) and components.
    package init(absolute: Bool = false, _ components: some Sequence<Component>) {
        self.init((absolute ? "/" : "") + components.map(\.string).joined(separator: "/"))
    }

    public var lastComponent: Component? {
        string.pathNames.last.map { Component(unchecked: $0) }
    }

    /// What follows the last dot of the last component. Setting it replaces or, with nil, removes it.
    public var `extension`: String? {
        get { lastComponent?.extension }
        set {
            guard let last = lastComponent, last.kind == .regular else { return }
            let name = last.stem + (newValue.map { "." + $0 } ?? "")
            self = removingLastComponent().appending(name)
        }
    }

    public var stem: String? { lastComponent?.stem }

    public mutating func append(_ component: Component) { append(component.string) }

    /// Adds the other path's components; its root, if it has one, is ignored.
    public mutating func append(_ other: String) {
        let tail = Substring(other.utf8.drop { $0 == UInt8(ascii: "/") })
        guard !tail.utf8.isEmpty else { return }
        self = FilePath(isEmpty || string == "/" ? string + tail : string + "/" + tail)
    }

    public func appending(_ component: Component) -> FilePath { appending(component.string) }

    public func appending(_ other: String) -> FilePath {
        var copy = self
        copy.append(other)
        return copy
    }

    /// As a shell's `cd`: an absolute `other` replaces the path.
    public func pushing(_ other: FilePath) -> FilePath {
        other.isAbsolute ? other : appending(other.string)
    }

    public mutating func push(_ other: FilePath) { self = pushing(other) }

    @discardableResult
    public mutating func removeLastComponent() -> Bool {
        guard lastComponent != nil else { return false }
        self = removingLastComponent()
        return true
    }

    public func removingLastComponent() -> FilePath {
        FilePath(absolute: isAbsolute, components.dropLast())
    }

    public func starts(with other: FilePath) -> Bool {
        isAbsolute == other.isAbsolute && components.starts(with: other.components)
    }

    public func ends(with other: FilePath) -> Bool {
        if other.isAbsolute { return self == other }
        return components.reversed().starts(with: other.components.reversed())
    }

    /// Whether `.` and `..` were resolved as far as text alone can.
    public var isLexicallyNormal: Bool { self == lexicallyNormalized() }

    /// The path with `.` left out and `x/..` folded; no file system is asked.
    public func lexicallyNormalized() -> FilePath {
        var result: [Component] = []
        for component in components {
            switch component.kind {
            case .currentDirectory: continue
            case .parentDirectory:
                if let last = result.last, last.kind == .regular {
                    result.removeLast()
                } else if !isAbsolute {
                    result.append(component)
                }
            case .regular: result.append(component)
            }
        }
        return FilePath(absolute: isAbsolute, result)
    }

    public mutating func lexicallyNormalize() { self = lexicallyNormalized() }

    /// `self` + `subpath`, or nil when that would leave `self`.
    public func lexicallyResolving(_ subpath: FilePath) -> FilePath? {
        let normal = FilePath(absolute: false, subpath.components).lexicallyNormalized()
        guard normal.components.first?.kind != .parentDirectory else { return nil }
        return appending(normal.string)
    }
}
