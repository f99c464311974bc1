// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension EntryHeader {
    /// Reads a whole header: magic, size and fields, without the blobs.
    /// - Parameter offset: where the header begins in the uncompressed stream, for messages.
    /// - Throws: `ArchiveError` when the header or its path is not allowed.
    init(decoding bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        self.init(type: EntryType(rawValue: 0), path: "")
        var reader = HeaderReader(bytes: bytes, offset: offset)
        var seen = Seen()
        while let field = try reader.next() { try take(field, &seen, offset) }
        try check(seen, offset)
    }

    /// Which fields were met; of a key that comes twice the first counts.
    private struct Seen {
        var type = false
        var path: [UInt8]?
        var link: [UInt8]?
    }

    private mutating func take(_ field: HeaderField, _ seen: inout Seen, _ offset: UInt64) throws {
        switch (field.key, field.value) {
        case (_, .blob(let size)):
            blobs.append(Blob(key: field.key, size: size))
        case (.type, .unsigned(let number)) where !seen.type:
            guard let raw = UInt8(exactly: number) else {
                throw ArchiveError(.corrupt, "The entry at offset \(offset) has the impossible type \(number).")
            }
            type = EntryType(rawValue: raw)
            seen.type = true
        case (.path, .string(let name)) where seen.path == nil: seen.path = name
        case (.linkTarget, .string(let name)) where seen.link == nil: seen.link = name
        case (.mode, .unsigned(let number)) where mode == nil: mode = UInt16(truncatingIfNeeded: number & 0o7777)
        case (.userID, .unsigned(let number)) where userID == nil: userID = number
        case (.groupID, .unsigned(let number)) where groupID == nil: groupID = number
        case (.flags, .unsigned(let number)) where flags == nil: flags = number
        case (.creationTime, .time(let time)) where creationTime == nil: creationTime = time
        case (.modificationTime, .time(let time)) where modificationTime == nil: modificationTime = time
        case (.hardLinkCluster, .unsigned(let number)) where hardLinkCluster == nil: hardLinkCluster = number
        default: otherFields.append(field)
        }
    }

    private mutating func check(_ seen: Seen, _ offset: UInt64) throws {
        if otherFields.contains(where: { $0.key == .patchOperation }) {
            throw ArchiveError(
                .unsupportedEntry,
                "The archive holds patch operations (YOP at offset \(offset)), as system updates do; it has no plain files."
            )
        }
        guard seen.type else {
            throw ArchiveError(.corrupt, "The entry at offset \(offset) has no type (TYP).")
        }
        if type == .metadata {
            path = ""
            return
        }
        guard let name = seen.path else {
            throw ArchiveError(.corrupt, "The \(type.name) at offset \(offset) has no path (PAT).")
        }
        path = try ArchivePath.validate(name, at: offset)
        guard !path.isEmpty || type == .directory else {
            throw ArchiveError(.unsafePath, "The \(type.name) at offset \(offset) has an empty path.")
        }
        if type == .symbolicLink {
            linkTarget = try ArchivePath.validateLinkTarget(seen.link, of: path)
        } else if let link = seen.link {
            otherFields.append(HeaderField(.linkTarget, .string(link)))
        }
    }
}
