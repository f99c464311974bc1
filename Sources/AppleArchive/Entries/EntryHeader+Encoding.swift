// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension EntryHeader {
    /// The header's bytes: fields in the order of Apple's tools, each number in the smallest width (AA 1.2, 1.6).
    /// - Parameter fields: which optional fields are written; the others are left out.
    /// - Throws: `ArchiveError.invalidEntry` when the header would be larger than its 16-bit size allows.
    package func encoded(fields: ArchiveFields = .all) throws -> [UInt8] {
        var writer = HeaderWriter()
        writer.unsigned(.type, UInt64(type.rawValue))
        if type != .metadata { try writer.string(.path, path) }
        if let linkTarget { try writer.string(.linkTarget, linkTarget) }
        if fields.contains(.owner), let userID { writer.unsigned(.userID, userID) }
        if fields.contains(.owner), let groupID { writer.unsigned(.groupID, groupID) }
        if fields.contains(.mode), let mode { writer.unsigned(.mode, UInt64(mode & 0o7777)) }
        if fields.contains(.flags), let flags { writer.unsigned(.flags, flags) }
        if fields.contains(.creationTime), let creationTime { writer.time(.creationTime, creationTime) }
        if fields.contains(.modificationTime), let modificationTime { writer.time(.modificationTime, modificationTime) }
        for blob in blobs { writer.blob(blob.key, blob.size) }
        if let hardLinkCluster { writer.unsigned(.hardLinkCluster, hardLinkCluster) }
        for field in otherFields { try writer.field(field) }
        return try writer.finish(path)
    }
}

/// Which optional fields a writer keeps. `TYP`, `PAT`, `LNK` and the blobs are always there.
package struct ArchiveFields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `UID` and `GID`.
    package static let owner = ArchiveFields(rawValue: 1)
    package static let mode = ArchiveFields(rawValue: 2)
    package static let flags = ArchiveFields(rawValue: 4)
    package static let creationTime = ArchiveFields(rawValue: 8)
    package static let modificationTime = ArchiveFields(rawValue: 16)

    /// What Apple's `aa archive` writes.
    package static let all: ArchiveFields = [.owner, .mode, .flags, .creationTime, .modificationTime]
    /// What depends on the content alone, so that two machines write the same bytes.
    package static let normalized: ArchiveFields = [.mode]
}

/// Builds the bytes of one header.
private struct HeaderWriter {
    private var bytes: [UInt8] = Array("AA01".utf8) + [0, 0]

    mutating func unsigned(_ key: FieldKey, _ number: UInt64) {
        let width = number <= 0xff ? 1 : number <= 0xffff ? 2 : number <= 0xffff_ffff ? 4 : 8
        bytes += key.bytes
        bytes.append(UInt8(ascii: "0") + UInt8(width))
        little(number, width)
    }

    mutating func string(_ key: FieldKey, _ text: String) throws { try string(key, Array(text.utf8)) }

    mutating func string(_ key: FieldKey, _ text: [UInt8]) throws {
        guard text.count <= 0xffff else {
            throw ArchiveError(.invalidEntry, "The field \(key) of \(text.count) bytes does not fit an entry header.")
        }
        bytes += key.bytes
        bytes.append(UInt8(ascii: "P"))
        little(UInt64(text.count), 2)
        bytes += text
    }

    mutating func time(_ key: FieldKey, _ time: Timestamp) {
        bytes += key.bytes
        bytes.append(UInt8(ascii: time.nanoseconds == 0 ? "S" : "T"))
        little(UInt64(bitPattern: time.seconds), 8)
        if time.nanoseconds != 0 { little(UInt64(UInt32(bitPattern: time.nanoseconds)), 4) }
    }

    mutating func blob(_ key: FieldKey, _ size: UInt64) {
        let width = size <= 0xffff ? 2 : size <= 0xffff_ffff ? 4 : 8
        bytes += key.bytes
        bytes.append(UInt8(ascii: width == 2 ? "A" : width == 4 ? "B" : "C"))
        little(size, width)
    }

    mutating func field(_ field: HeaderField) throws {
        switch field.value {
        case .flag: bytes += field.key.bytes + [UInt8(ascii: "*")]
        case .unsigned(let number): unsigned(field.key, number)
        case .string(let text): try string(field.key, text)
        case .time(let value): time(field.key, value)
        case .blob:
            throw ArchiveError(.invalidEntry, "The blob \(field.key) belongs among the entry's blobs, in their order.")
        case .hash(let digest):
            let kinds: [Int: Unicode.Scalar] = [4: "F", 20: "G", 32: "H", 48: "I", 64: "J"]
            guard let kind = kinds[digest.count] else {
                throw ArchiveError(.invalidEntry, "A digest of \(digest.count) bytes does not fit an entry header.")
            }
            bytes += field.key.bytes + [UInt8(ascii: kind)] + digest
        }
    }

    func finish(_ path: String) throws -> [UInt8] {
        guard bytes.count <= 0xffff else {
            throw ArchiveError(.invalidEntry, "The header of \(path) has \(bytes.count) bytes, more than 65535.")
        }
        var result = bytes
        result[4] = UInt8(bytes.count & 0xff)
        result[5] = UInt8(bytes.count >> 8)
        return result
    }

    private mutating func little(_ number: UInt64, _ width: Int) {
        for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }
}
