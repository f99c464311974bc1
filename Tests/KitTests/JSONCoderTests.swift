// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import Kit

struct JSONCoderTests {
    private struct Everything: Codable, Hashable {
        enum Kind: String, Codable { case small, large }
        enum Shape: Codable, Hashable { case circle(radius: Double), none }

        var text = "a\"b/ü\n"
        var flag = true
        var small: UInt8 = 255
        var large = Int64.min
        var unsigned: UInt64 = 1 << 40
        var half = 0.5
        var whole = 2.0
        var absent: Int?
        var list: [Int?] = [1, nil, 3]
        var map = ["b": [1], "a": []]
        var kind = Kind.large
        var shapes = [Shape.circle(radius: 1.5), .none]
        var free: JSONValue = ["x": [1, 2.5, "y", nil, true]]
    }

    @Test func valuesComeBack() throws {
        let value = Everything()
        let bytes = try JSONCoder.encode(value)
        #expect(try JSONCoder.decode(Everything.self, from: bytes) == value)
        #expect(try JSONCoder.encode(value) == bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"flag":true,"free":"#))
        #expect(!text.contains("absent"))
    }

    @Test func scalarsAndEmptyValuesStandAlone() throws {
        #expect(try JSONCoder.encode([Int]()) == Array("[]".utf8))
        #expect(try JSONCoder.encode(Int?.none) == Array("null".utf8))
        #expect(try JSONCoder.decode([String: Int].self, from: "{}".utf8) == [:])
        #expect(try JSONCoder.decode(Int.self, from: "3.0".utf8) == 3)
        #expect(try JSONCoder.decode(Double.self, from: "3".utf8) == 3)
        #expect(try JSONCoder.decode(String?.self, from: "null".utf8) == nil)
    }

    @Test(arguments: [
        #"{"name":5}"#, #"{"name":null}"#, #"{}"#, #"[]"#, #"{"name":"x","count":300}"#, #"{"name":"x","count":-1}"#,
        #"{"name":"x","count":1.5}"#, #"{"name":"x","count":1e400}"#, #"{"name":"x","count":"1"}"#, "nonsense", "",
    ])
    func misfitsAreErrors(_ text: String) {
        struct Item: Codable {
            var name: String
            var count: UInt8?
        }
        #expect(throws: (any Error).self) { try JSONCoder.decode(Item.self, from: text.utf8) }
    }

    @Test func whatJSONCannotHoldIsAnError() {
        #expect(throws: EncodingError.self) { try JSONCoder.encode([Double.nan]) }
        #expect(throws: EncodingError.self) { try JSONCoder.encode(["a": UInt64.max]) }
    }

    @Test func errorsNameTheirPath() {
        let error = #expect(throws: DecodingError.self) {
            try JSONCoder.decode([String: [[String: Int]]].self, from: #"{"a":[{"b":"c"}]}"#.utf8)
        }
        guard case .typeMismatch(_, let context)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(context.codingPath.last?.stringValue == "b")
    }
}
