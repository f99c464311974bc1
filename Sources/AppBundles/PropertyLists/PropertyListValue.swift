// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Anything a property list can hold.
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
