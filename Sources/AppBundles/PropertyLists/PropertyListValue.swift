// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import FoundationEssentials

/// Anything a property list can hold, decoded without knowing its keys.
package enum PropertyListValue: Hashable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Data, dates, and whole numbers beyond 64 bits: kinds that no key of an app bundle here takes.
    case other
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    /// What a person calls the kind.
    package var kind: String {
        switch self {
        case .string: "a string"
        case .boolean: "a boolean"
        case .integer: "a whole number"
        case .real: "a fraction"
        case .other: "data, a date or a number beyond 64 bits"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension PropertyListValue: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var result: [String: PropertyListValue] = [:]
            for key in container.allKeys {
                result[key.stringValue] = try container.decode(PropertyListValue.self, forKey: key)
            }
            self = .dictionary(result)
        } else if var container = try? decoder.unkeyedContainer() {
            var result: [PropertyListValue] = []
            while !container.isAtEnd { result.append(try container.decode(PropertyListValue.self)) }
            self = .array(result)
        } else {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode(Bool.self) {
                self = .boolean(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .real(value)
            } else {
                self = .other
            }
        }
    }
}
