// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A path in the file system: bytes between slashes, normally UTF-8. Repeated and trailing slashes are dropped when it is made.
public struct FilePath: Hashable, Sendable {
    /// The path as a string.
    public private(set) var string: String

    /// The empty path.
    public init() { string = "" }

    public init(_ string: String) { self.string = FilePath.normalize(string) }

    private static func normalize(_ string: String) -> String {
        let bytes = string.utf8
        guard bytes.count > 1 else { return string }
        var wasSlash = false
        var clean = true
        for byte in bytes {
            let slash = byte == UInt8(ascii: "/")
            if slash, wasSlash { clean = false }
            wasSlash = slash
        }
        if clean, !wasSlash { return string }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes where !(byte == UInt8(ascii: "/") && result.last == byte) { result.append(byte) }
        if result.count > 1, result.last == UInt8(ascii: "/") { result.removeLast() }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether both have the same bytes.
    public static func == (left: FilePath, right: FilePath) -> Bool { left.string.isSamePath(as: right.string) }

    public var isEmpty: Bool { string.utf8.isEmpty }
    public var length: Int { string.utf8.count }
    public var isAbsolute: Bool { string.utf8.first == UInt8(ascii: "/") }
    public var isRelative: Bool { !isAbsolute }

    /// Calls `body` with the path as a NUL-terminated C string.
    public func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try string.withCString(body)
    }
}

extension FilePath: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

extension FilePath: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { string }
    public var debugDescription: String { string.debugDescription }
}

extension FilePath: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
