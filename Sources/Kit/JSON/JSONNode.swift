// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where in a text something begins; both count from 1, columns in bytes.
package struct JSONPosition: Hashable, Sendable, CustomStringConvertible {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

/// A JSON value that knows where it stood, for errors that point at it. Members keep their order.
package struct JSONNode: Sendable {
    package enum Content: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case string(String)
        case array([JSONNode])
        case object([JSONMember])
    }

    package let position: JSONPosition
    package let content: Content

    package init(position: JSONPosition, content: Content) {
        self.position = position
        self.content = content
    }

    /// A value that never stood anywhere.
    init(_ value: JSONValue) {
        let nowhere = JSONPosition(line: 1, column: 1)
        position = nowhere
        content =
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .integer(let number): .integer(number)
            case .number(let number): .number(number)
            case .string(let text): .string(text)
            case .array(let elements): .array(elements.map(JSONNode.init))
            case .object(let members):
                .object(members.map { JSONMember(key: $0, keyPosition: nowhere, value: JSONNode($1)) })
            }
    }

    /// The member of that key, when this is an object that has it.
    package subscript(key: String) -> JSONNode? {
        if case .object(let members) = content { members.first { $0.key == key }?.value } else { nil }
    }

    /// What this is, as a message names it: "a string", "an object", ...
    package var kindName: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package var value: JSONValue {
        switch content {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .string(let value): .string(value)
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let members): .object(Dictionary(members.map { ($0.key, $0.value.value) }) { first, _ in first })
        }
    }
}

package struct JSONMember: Sendable {
    package let key: String
    package let keyPosition: JSONPosition
    package let value: JSONNode
}

/// Text that is no JSON, or breaks a limit.
package struct JSONError: LarderError {
    package let position: JSONPosition
    package let reason: String

    package var codeName: String { "json.invalid" }
    package var message: String { "\(position): \(reason)" }
    package var cause: (any Error)? { nil }
    package var exitCode: ExitCode { .badInput }
}
