// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The last resource of a page: the next page begins behind it, also when others were made or deleted meanwhile.
package struct PageCursor: Hashable, Sendable {
    /// Its values of the attributes that are sorted by, in their order; none when nothing is.
    package let values: [JSONValue]
    /// Its place in the order in which resources were made.
    package let sequence: Int64

    package init(values: [JSONValue], sequence: Int64) {
        self.values = values
        self.sequence = sequence
    }

    /// As it stands in `cursor`.
    package var text: String {
        Base64URL.encode(JSONValue.array(values + [.integer(sequence)]).serialized().utf8)
    }

    /// nil for anything but a text that was given out.
    package init?(text: String) {
        guard text.utf8.count <= 4096, let bytes = Base64URL.decode(text),
            let parts = try? JSONParser.parse(bytes).value.arrayValue, let sequence = parts.last?.integerValue
        else { return nil }
        let values = Array(parts.dropLast())
        guard values.allSatisfy(Self.isValue) else { return nil }
        self.init(values: values, sequence: sequence)
    }

    /// Whether an attribute that is sorted by may have it.
    private static func isValue(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.isStorable
        case .null, .integer, .bool: true
        default: false
        }
    }
}
