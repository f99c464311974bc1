// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What an entry stands for: the `TYP` field, one ASCII character (AA 1.5).
package struct EntryType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let regularFile = EntryType(rawValue: UInt8(ascii: "F"))
    package static let directory = EntryType(rawValue: UInt8(ascii: "D"))
    package static let symbolicLink = EntryType(rawValue: UInt8(ascii: "L"))
    package static let fifo = EntryType(rawValue: UInt8(ascii: "P"))
    package static let characterDevice = EntryType(rawValue: UInt8(ascii: "C"))
    package static let blockDevice = EntryType(rawValue: UInt8(ascii: "B"))
    package static let socket = EntryType(rawValue: UInt8(ascii: "S"))
    package static let whiteout = EntryType(rawValue: UInt8(ascii: "W"))
    package static let door = EntryType(rawValue: UInt8(ascii: "R"))
    package static let port = EntryType(rawValue: UInt8(ascii: "T"))
    /// Data about the archive, not a file.
    package static let metadata = EntryType(rawValue: UInt8(ascii: "M"))

    /// The character, as Apple's `aa list` shows it.
    package var description: String { String(UnicodeScalar(rawValue)) }

    /// The name for a person.
    package var name: String {
        switch self {
        case .regularFile: "file"
        case .directory: "folder"
        case .symbolicLink: "symbolic link"
        case .fifo: "named pipe"
        case .characterDevice: "character device"
        case .blockDevice: "block device"
        case .socket: "socket"
        case .whiteout: "whiteout"
        case .door: "door"
        case .port: "port"
        case .metadata: "metadata"
        default: "entry of type \(description)"
        }
    }
}
