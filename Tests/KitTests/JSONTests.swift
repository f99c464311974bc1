// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@Suite("JSON")
struct JSONTests {
    @Test("Every kind of value is read, and positions point at it")
    func readsValues() throws {
        let text = """
            {
              "a": [1, -2.5e3, true, null],
              "b": "x\\u00e9\\ud83d\\ude00\\n"
            }
            """
        let node = try JSONParser.parse(text)
        #expect(node.value == ["a": [1, -2500.0, true, nil], "b": "xé😀\n"])
        #expect(node["b"]?.position == JSONPosition(line: 3, column: 8))
        guard case .object(let members) = node.content else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.keyPosition) == [.init(line: 2, column: 3), .init(line: 3, column: 3)])
    }

    @Test("Comments are white space when allowed, and an error when not")
    func comments() throws {
        let text = "// first\n{ /* two\nlines */ \"a\": 1 } // end"
        let node = try JSONParser.parse(text, options: .init(allowsComments: true))
        #expect(node.value == ["a": 1])
        #expect(node["a"]?.position == JSONPosition(line: 3, column: 15))
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let says: String
        var testDescription: String { says }
    }

    @Test(
        "What is wrong is said with its place",
        arguments: [
            Bad(text: "", line: 1, column: 1, says: "ends where a value"),
            Bad(text: "{\"a\": 1,\n \"a\": 2}", line: 2, column: 2, says: "stands twice"),
            Bad(text: "[1, 2", line: 1, column: 6, says: "comma or a closing bracket"),
            Bad(text: "[1,]", line: 1, column: 4, says: "comma stands before"),
            Bad(text: "{\"a\":1,}", line: 1, column: 8, says: "comma stands before"),
            Bad(text: "{a: 1}", line: 1, column: 2, says: "double quotes"),
            Bad(text: "{\"a\" 1}", line: 1, column: 6, says: "colon"),
            Bad(text: "01", line: 1, column: 1, says: "no number"),
            Bad(text: "1.", line: 1, column: 1, says: "decimal point"),
            Bad(text: "1e999", line: 1, column: 1, says: "out of range"),
            Bad(text: "-", line: 1, column: 1, says: "no number"),
            Bad(text: "\"abc", line: 1, column: 1, says: "never ends"),
            Bad(text: "\"\\x\"", line: 1, column: 4, says: "unknown escape"),
            Bad(text: "\"\\ud800x\"", line: 1, column: 8, says: "surrogate"),
            Bad(text: "\"\\u12\"", line: 1, column: 4, says: "ends in an escape"),
            Bad(text: "\"\n\"", line: 1, column: 2, says: "control character"),
            Bad(text: "nul", line: 1, column: 1, says: "expected a value"),
            Bad(text: "1 2", line: 1, column: 3, says: "more after the end"),
        ])
    func refuses(_ bad: Bad) throws {
        let error = try #require(throws: JSONError.self) { try JSONParser.parse(bad.text) }
        #expect(error.position == JSONPosition(line: bad.line, column: bad.column))
        #expect(error.reason.contains(bad.says), "\(error.reason)")
    }

    @Test("Invalid UTF-8, and comments without an end, are refused")
    func refusesBytes() {
        #expect(throws: JSONError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
        for text in ["/", "/*", "/* x *", "1 /"] {
            #expect(throws: JSONError.self) { try JSONParser.parse(text, options: .init(allowsComments: true)) }
        }
    }

    @Test("Nesting is limited, not a stack overflow")
    func depth() throws {
        let deep = String(repeating: "[", count: 65_536)
        #expect(throws: JSONError.self) { try JSONParser.parse(deep) }
        let fine = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        _ = try JSONParser.parse(fine)
        #expect(throws: JSONError.self) { try JSONParser.parse("[\(fine)]") }
    }

    @Test("What is written is read back the same, keys sorted")
    func roundTrip() throws {
        var generator = SeededGenerator.forTest()
        for _ in 0..<300 {
            let value = Self.random(depth: 3, &generator)
            #expect(try JSONParser.parse(value.serialized(.compact)).value == value)
            #expect(try JSONParser.parse(value.serialized(.pretty)).value == value)
        }
        let value: JSONValue = ["b": 1, "a": ["x", []], "": [:]]
        #expect(value.serialized() == #"{"":{},"a":["x",[]],"b":1}"#)
    }

    @Test("Random damage is refused or read, never a crash")
    func mutations() {
        var generator = SeededGenerator.forTest()
        for _ in 0..<2000 {
            var bytes = Array(Self.random(depth: 3, &generator).serialized(.pretty).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                if Bool.random(using: &generator) {
                    bytes[index] = UInt8.random(in: 0...255, using: &generator)
                } else {
                    bytes.remove(at: index)
                }
            }
            _ = try? JSONParser.parse(bytes, options: .init(allowsComments: true))
        }
    }

    private static func random(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &generator) {
        case 0: return nil
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: Int64.min...Int64.max, using: &generator))
        case 3: return .number(Double.random(in: -1e9...1e9, using: &generator) + 0.5)
        case 4:
            let scalars = (0..<5).map { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator)) ?? "x" }
            return .string(String(String.UnicodeScalarView(scalars)))
        case 5: return .array((0..<3).map { _ in random(depth: depth - 1, &generator) })
        default:
            let pairs = (0..<3).map { index in ("k\(index)", random(depth: depth - 1, &generator)) }
            return .object(Dictionary(uniqueKeysWithValues: pairs))
        }
    }
}
