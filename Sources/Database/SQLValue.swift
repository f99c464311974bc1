// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A value for a place in a statement.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    package static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
    package static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0 as Int64) }
    package static func text(orNull value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    package static func integer(orNull value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(nilLiteral: ()) { self = .null }
}
