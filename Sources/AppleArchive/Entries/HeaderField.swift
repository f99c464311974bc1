// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// One field of an entry header: key and value, as the bytes say (AA 1.2).
package struct HeaderField: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case flag
        case unsigned(UInt64)
        case string([UInt8])
        /// A raw digest of 4, 20, 32, 48 or 64 bytes.
        case hash([UInt8])
        case time(Timestamp)
        /// The size in bytes of a blob that follows the header.
        case blob(UInt64)
    }

    package var key: FieldKey
    package var value: Value

    package init(_ key: FieldKey, _ value: Value) {
        self.key = key
        self.value = value
    }
}
