// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// An open file, as the number the kernel knows it by. A borrowed value: whoever opened it closes it.
public struct FileDescriptor: RawRepresentable, Hashable, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) { self.rawValue = rawValue }

    public static let standardInput = FileDescriptor(rawValue: 0)
    public static let standardOutput = FileDescriptor(rawValue: 1)
    public static let standardError = FileDescriptor(rawValue: 2)

    /// What an open file may be used for.
    public struct AccessMode: RawRepresentable, Hashable, Sendable {
        public let rawValue: CInt
        public init(rawValue: CInt) { self.rawValue = rawValue }
        public static let readOnly = AccessMode(rawValue: O_RDONLY)
        public static let writeOnly = AccessMode(rawValue: O_WRONLY)
        public static let readWrite = AccessMode(rawValue: O_RDWR)
    }

    /// How a file is opened. Close-on-exec is added by every call of this module.
    public struct OpenOptions: OptionSet, Hashable, Sendable {
        public let rawValue: CInt
        public init(rawValue: CInt) { self.rawValue = rawValue }
        public static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
        public static let append = OpenOptions(rawValue: O_APPEND)
        public static let create = OpenOptions(rawValue: O_CREAT)
        public static let truncate = OpenOptions(rawValue: O_TRUNC)
        public static let exclusiveCreate = OpenOptions(rawValue: O_EXCL)
        public static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
        public static let closeOnExec = OpenOptions(rawValue: O_CLOEXEC)
        public static let directory = OpenOptions(rawValue: O_DIRECTORY)
        public static let sync = OpenOptions(rawValue: O_SYNC)
    }

    /// From where a seek counts.
    public struct SeekOrigin: RawRepresentable, Hashable, Sendable {
        public let rawValue: CInt
        public init(rawValue: CInt) { self.rawValue = rawValue }
        public static let start = SeekOrigin(rawValue: SEEK_SET)
        public static let current = SeekOrigin(rawValue: SEEK_CUR)
        public static let end = SeekOrigin(rawValue: SEEK_END)
    }
}

extension FileDescriptor: Codable, CustomStringConvertible {
    public var description: String { "FileDescriptor(\(rawValue))" }
}

extension FileDescriptor.AccessMode: CustomStringConvertible {
    public var description: String {
        switch self {
        case .readOnly: "readOnly"
        case .writeOnly: "writeOnly"
        case .readWrite: "readWrite"
        default: "AccessMode(rawValue: \(rawValue))"
        }
    }
}

extension FileDescriptor.SeekOrigin: CustomStringConvertible {
    public var description: String {
        switch self {
        case .start: "start"
        case .current: "current"
        case .end: "end"
        default: "SeekOrigin(rawValue: \(rawValue))"
        }
    }
}
