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

    @Test(arguments: [1, 16, 17, 300]) func keysStandInOrderAndOnce(_ count: Int) throws {
        let members = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", $0) })
        let bytes = try JSONCoder.encode(members)
        #expect(try JSONCoder.decode([String: Int].self, from: bytes) == members)
        let keys = try JSONParser.parse(bytes).objectKeys
        #expect(keys.count == count && keys == keys.sorted())
        let twice = "{" + (0..<count).map { "\"key\($0)\":0," }.joined() + "\"key0\":1}"
        #expect(throws: JSONError.self) { try JSONCoder.decode([String: Int].self, from: twice.utf8) }
    }

    @Test func theLastOfEqualKeysCounts() throws {
        struct Twice: Encodable {
            enum Keys: String, CodingKey { case b, a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                for number in 1...3 {
                    try container.encode(number, forKey: .b)
                    try container.encode([number], forKey: .a)
                }
            }
        }
        #expect(try JSONCoder.encode(Twice()) == Array(#"{"a":[3],"b":3}"#.utf8))
        #expect(try JSONCoder.value(of: Twice()) == ["a": [3], "b": 3])
    }

    @Test func containersMayBeFilledInTurns() throws {
        struct Turns: Encodable {
            enum Keys: String, CodingKey { case list, map }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                var map = container.nestedContainer(keyedBy: Keys.self, forKey: .map)
                try list.encode(1)
                try map.encode("x", forKey: .map)
                var inner = list.nestedUnkeyedContainer()
                try inner.encode(true)
                try list.encodeNil()
                try map.encodeNil(forKey: .list)
                try "y".encode(to: container.superEncoder())
            }
        }
        let text = #"{"list":[1,[true],null],"map":{"list":null,"map":"x"},"super":"y"}"#
        #expect(try JSONCoder.encode(Turns()) == Array(text.utf8))
    }

    @Test(arguments: ["0", "-0", "7", "-12", "999999999999999999", "9223372036854775807", "-9223372036854775808"])
    func wholeNumbersComeAsTheyStand(_ text: String) throws {
        #expect(try JSONCoder.decode(Int64.self, from: text.utf8) == Int64(text))
        #expect(throws: (any Error).self) { try JSONCoder.decode(Int8.self, from: "\(text)999".utf8) }
    }

    @Test(arguments: ["", "plain", "ü and 🦔", "\"", "\\", "a\u{1}b\u{1F}\u{7F}\n\r\t", "\u{10FFFF}\u{80}"])
    func textComesBack(_ text: String) throws {
        let bytes = try JSONCoder.encode([text])
        #expect(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        #expect(try JSONCoder.decode([String].self, from: bytes) == [text])
    }

    @Test func nothingIsLeftOfAnEncoding() throws {
        weak var root: JSONEncodingNode?
        weak var inner: JSONEncodingNode?
        func encode() throws {
            let node = JSONEncodingNode()
            try Everything().encode(to: JSONNodeEncoder(node: node))
            root = node
            inner = node.element()
            #expect(root != nil && inner != nil)
        }
        try encode()
        #expect(root == nil && inner == nil)
    }

    @Test func valuesAreDecodedAsText() throws {
        let value = try JSONCoder.value(of: Everything())
        #expect(try JSONCoder.decode(Everything.self, from: value) == Everything())
    }
}

extension JSONNode {
    fileprivate var objectKeys: [String] {
        if case .object(let members) = content { members.map(\.key) } else { [] }
    }
}
