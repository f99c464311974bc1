// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The last resource of a page: the next page begins behind it, also when others were made or deleted meanwhile.
package struct PageCursor: Hashable, Sendable {
    /// Its value of the attribute that is sorted by; nil when nothing is.
    package let value: JSONValue?
    /// Its place in the order in which resources were made.
    package let sequence: Int64

    package init(value: JSONValue?, sequence: Int64) {
        self.value = value
        self.sequence = sequence
    }

    /// As it stands in `cursor`.
    package var text: String {
        Base64URL.encode(JSONValue.array([value ?? .null, .integer(sequence)]).serialized().utf8)
    }

    /// nil for anything but a text that was given out.
    package init?(text: String) {
        guard text.utf8.count <= 4096, let bytes = Base64URL.decode(text),
            let parts = try? JSONParser.parse(bytes).value.arrayValue, parts.count == 2,
            let sequence = parts[1].integerValue
        else { return nil }
        switch parts[0] {
        case .null: value = nil
        case .string, .integer, .bool: value = parts[0]
        default: return nil
        }
        self.sequence = sequence
    }
}
