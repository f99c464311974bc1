// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import TestSupport
import Testing

@testable import AssetPacks

@Suite struct CanonicalJSONTests {
    /// RFC 8785, appendix B.
    @Test(arguments: [
        (0x0000_0000_0000_0000 as UInt64, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
        (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
        (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
        (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
        (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
        (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
        (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
        (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
        (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ])
    func numbersAreWrittenAsTheStandardSays(_ bits: UInt64, _ text: String) {
        #expect(CanonicalJSON.text(of: Double(bitPattern: bits)) == text)
    }

    /// RFC 8785, 3.2.3.
    @Test func keysAreInOrderOfTheirUTF16() throws {
        let value: JSONValue = [
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh", "1": "One",
            "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control",
            "\u{f6}": "Latin Small Letter O With Diaeresis",
        ]
        let text = String(decoding: try CanonicalJSON.bytes(of: value), as: UTF8.self)
        #expect(
            text == #"{"\r":"Carriage Return","1":"One",""# + "\u{80}" + #"":"Control","ö":"Latin Small Letter O With "#
                + #"Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face",""# + "\u{fb33}"
                + #"":"Hebrew Letter Dalet With Dagesh"}"#)
    }

    @Test(arguments: ["9007199254740992", "-9007199254740992", "1e16", "12345678901234567890"])
    func numbersThatReadersRoundAreRefused(_ text: String) throws {
        let value = try JSONParser.parse("[\(text)]").value
        let refusal = #expect(throws: ManifestRefusal.self) { try CanonicalJSON.bytes(of: value) }
        #expect(refusal?.reason == .format)
        #expect(try CanonicalJSON.bytes(of: try JSONParser.parse("[9007199254740991, 1e15]").value).count == 35)
    }

    /// Order of members, blanks and the way numbers and strings are escaped do not matter.
    @Test func equalValuesHaveOneForm() throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<300 {
            let value = Self.value(&random, depth: 0)
            let text = Self.written(value, &random)
            let read = try JSONParser.parse(text).value
            #expect(try CanonicalJSON.bytes(of: read) == CanonicalJSON.bytes(of: value), "\(text)")
            // The form is its own.
            let form = try CanonicalJSON.bytes(of: value)
            #expect(try CanonicalJSON.bytes(of: try JSONParser.parse(form).value) == form)
        }
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
        func text(_ random: inout SeededGenerator) -> String {
            let letters = ["a", "Z", "0", " ", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "é", "€", "😀", "\u{fb33}"]
            return (0..<Int.random(in: 0...4, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                .joined()
        }
        switch Int.random(in: 0...(depth < 3 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2:
            return .integer(
                Int64.random(in: -CanonicalJSON.largestInteger...CanonicalJSON.largestInteger, using: &random))
        case 3: return .number(Double(Int.random(in: -99_999...99_999, using: &random)) / 256 + 1 / 512)
        case 4, 5: return .string(text(&random))
        case 6:
            return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth: depth + 1) })
        default:
            let keys = Set((0..<Int.random(in: 0...5, using: &random)).map { _ in text(&random) })
            return .object(
                Dictionary(keys.sorted().map { ($0, value(&random, depth: depth + 1)) }) { first, _ in first })
        }
    }

    private static func written(_ value: JSONValue, _ random: inout SeededGenerator) -> String {
        let blank = ["", " ", "\n", "\t \r\n"].randomElement(using: &random) ?? ""
        switch value {
        case .array(let elements):
            return "[" + blank + elements.map { written($0, &random) }.joined(separator: "," + blank) + blank + "]"
        case .object(let members):
            let text = members.keys.sorted().shuffled(using: &random).map { key in
                written(.string(key), &random) + blank + ":" + written(members[key] ?? .null, &random)
            }
            return "{" + blank + text.joined(separator: blank + ",") + blank + "}"
        case .string(let text) where Bool.random(using: &random):
            return "\"" + text.utf16.map { "\\u" + String("000\(String($0, radix: 16))".suffix(4)) }.joined() + "\""
        default: return value.serialized()
        }
    }
}
