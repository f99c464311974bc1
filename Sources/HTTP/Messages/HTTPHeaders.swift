// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The header fields of a message, in their order; names are compared without regard to case.
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field]

    package init() { fields = [] }

    package init(_ pairs: [(String, String)]) {
        fields = pairs.map { Field(name: $0.0, value: $0.1) }
    }

    package init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

    /// With one more field, and room for others.
    func with(_ name: String, _ value: String) -> HTTPHeaders {
        var all = HTTPHeaders()
        all.fields.reserveCapacity(fields.count + 3)
        all.fields += fields
        all.add(name, value)
        return all
    }

    /// The first field of that name. Setting replaces all of that name; nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { HTTPHeaders.same($0.name, name) }?.value }
        set {
            fields.removeAll { HTTPHeaders.same($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Every value of that name.
    package func values(_ name: String) -> [String] {
        fields.compactMap { HTTPHeaders.same($0.name, name) ? $0.value : nil }
    }

    package mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Whether two field names are one, case of ASCII letters aside.
    package static func same(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { $0 == $1 || folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
