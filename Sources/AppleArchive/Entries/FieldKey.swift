// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The three upper-case letters that name a field of an entry header (AA 1.4).
package struct FieldKey: Hashable, Sendable, CustomStringConvertible {
    /// The letters as the header holds them, the first in the lowest byte.
    package let code: UInt32

    init(code: UInt32) { self.code = code }

    /// - Parameter name: three ASCII characters; more are ignored.
    package init(_ name: StaticString) {
        var code: UInt32 = 0
        name.withUTF8Buffer { letters in
            for (index, letter) in letters.prefix(3).enumerated() { code |= UInt32(letter) << UInt32(8 * index) }
        }
        self.code = code
    }

    package var bytes: [UInt8] { [UInt8(code & 0xff), UInt8(code >> 8 & 0xff), UInt8(code >> 16 & 0xff)] }
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    package static let type = FieldKey("TYP")
    package static let path = FieldKey("PAT")
    package static let linkTarget = FieldKey("LNK")
    package static let device = FieldKey("DEV")
    package static let userID = FieldKey("UID")
    package static let groupID = FieldKey("GID")
    package static let mode = FieldKey("MOD")
    package static let flags = FieldKey("FLG")
    package static let creationTime = FieldKey("CTM")
    package static let modificationTime = FieldKey("MTM")
    package static let backupTime = FieldKey("BTM")
    package static let data = FieldKey("DAT")
    package static let size = FieldKey("SIZ")
    package static let extendedAttributes = FieldKey("XAT")
    package static let accessControlList = FieldKey("ACL")
    package static let hardLinkCluster = FieldKey("HLC")
    package static let cloneCluster = FieldKey("CLC")
    package static let sameDataCluster = FieldKey("SLC")
    package static let patchOperation = FieldKey("YOP")
}
