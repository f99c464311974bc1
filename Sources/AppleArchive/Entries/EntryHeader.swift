// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What an archive says of one file, folder or link, apart from its content (AA 1.1-1.6).
package struct EntryHeader: Hashable, Sendable {
    /// A blob that follows the header: its key and its size in bytes, in header order.
    package struct Blob: Hashable, Sendable {
        package var key: FieldKey
        package var size: UInt64

        package init(key: FieldKey, size: UInt64) {
            self.key = key
            self.size = size
        }
    }

    package var type: EntryType
    /// Relative, `/` between names, checked by the path rules; empty for the archive's root folder and for metadata.
    package var path: String
    /// Where a symbolic link points, unchecked: what is allowed depends on who extracts.
    package var linkTarget: String?
    /// The low 12 bits of the file's mode.
    package var mode: UInt16?
    package var userID: UInt64?
    package var groupID: UInt64?
    /// BSD file flags.
    package var flags: UInt64?
    package var creationTime: Timestamp?
    package var modificationTime: Timestamp?
    /// Members of one cluster are hard links to one file; the number means nothing outside the archive.
    package var hardLinkCluster: UInt64?
    /// All blobs in header order, the data blob among them.
    package var blobs: [Blob] = []
    /// The fields that have no property here, in header order.
    package var otherFields: [HeaderField] = []

    package init(type: EntryType, path: String) {
        self.type = type
        self.path = path
    }

    /// The size of the content in bytes; 0 when the entry has no data blob.
    package var dataSize: UInt64 { blobs.first { $0.key == .data }?.size ?? 0 }

    /// Whether the content is in the archive, be it empty.
    package var hasData: Bool { blobs.contains { $0.key == .data } }

    /// The value of an unsigned field that has no property here.
    package func unsigned(_ key: FieldKey) -> UInt64? {
        for field in otherFields where field.key == key {
            if case .unsigned(let number) = field.value { return number }
        }
        return nil
    }
}
