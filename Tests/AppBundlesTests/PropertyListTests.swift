// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Foundation
import System
import TestSupport
import Testing

@testable import AppBundles

struct PropertyListTests {
    private func parse(_ bytes: [UInt8]) throws -> [String: PropertyListValue] {
        try PropertyListFile(bytes: bytes, path: "Info.plist").values
    }

    @Test func valuesKeepTheirKinds() throws {
        let text = AppFixture.plist([
            "s": "<string>a &amp; b</string>", "t": "<true/>", "i": "<integer>9223372036854775807</integer>",
            "r": "<real>1.5</real>", "c": "<string><![CDATA[<&>]]>&#x263A;<!-- no --></string>", "e": "<string/>",
            "u": "<integer>18446744073709551615</integer>", "d": "<data>AAE=</data>",
            "a": "<array><string>x</string><false/></array>",
        ])
        let values = try parse(Array(text.utf8))
        #expect(values["s"] == .string("a & b"))
        #expect(values["t"] == .boolean(true))
        #expect(values["i"] == .integer(.max))
        #expect(values["r"] == .real(1.5))
        #expect(values["d"] == .other)
        #expect(values["c"] == .string("<&>☺"))
        #expect(values["e"] == .string(""))
        #expect(values["u"] == .other)
        #expect(values["a"] == .array([.string("x"), .boolean(false)]))
    }

    @Test func binaryListsReadTheSame() throws {
        struct Keys: Codable {
            var name = "x"
            var wide = "żółw ☺"
            var long = String(repeating: "long ", count: 100)
            var many = Array(0..<300)
            var half = 0.5
            var negative = -5
            var on = true
            var size: Int64 = 5_000_000_000
            var inner = ["a": 1]
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let values = try parse(Array(try encoder.encode(Keys())))
        #expect(values["name"] == .string("x"))
        #expect(values["wide"] == .string("żółw ☺"))
        #expect(values["long"] == .string(String(repeating: "long ", count: 100)))
        #expect(values["many"] == .array((0..<300).map { .integer($0) }))
        #expect(values["half"] == .real(0.5))
        #expect(values["negative"] == .integer(-5))
        #expect(values["on"] == .boolean(true))
        #expect(values["size"] == .integer(5_000_000_000))
        #expect(values["inner"] == .dictionary(["a": .integer(1)]))
    }

    @Test func binaryListsAreWrittenAsTheyAreRead() throws {
        let values: [String: PropertyListValue] = [
            "text": .string("x"), "wide": .string("żółw 🐢"), "long": .string(String(repeating: "long ", count: 20_000)),
            "many": .array((0..<70_000).map { .integer(Int64($0)) }), "half": .real(0.5), "zero": .real(-0.0),
            "numbers": .array([0, 255, 256, 65_535, 65_536, .max, -1, .min, 4_294_967_296].map { .integer($0) }),
            "flags": .array([.boolean(true), .boolean(false), .integer(1)]), "": .dictionary(["a": .array([])]),
        ]
        let bytes = try PropertyListValue.dictionary(values).binary()
        #expect(try parse(bytes) == values)
        let other = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
        #expect((other?["numbers"] as? [NSNumber])?.map(\.int64Value).suffix(4) == [.max, -1, .min, 4_294_967_296])
        #expect(other?["wide"] as? String == "żółw 🐢")
        #expect((other?["many"] as? [NSNumber])?.count == 70_000)
        #expect(throws: BundleError.self) { try PropertyListValue.array([.other]).binary() }
    }

    @Test(arguments: [
        "", "hello", String(repeating: "{a=", count: 65_536), String(repeating: "(", count: 65_536), "{}",
        "<plist><dict>", "<plist><array/></plist>", "bplist00", "bplist00\u{1}\u{2}\u{3}",
        "<plist><dict><key>a</key></dict></plist>", "<plist><dict><string>a</string></dict></plist>",
        "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>", "<plist><dict/><dict/></plist>",
        "<plist><dict/></plist>x", "<plist><dict><key>a</key><string>&bomb;</string></dict></plist>",
        "<!DOCTYPE plist [<!ENTITY bomb \"x\">]><plist><dict/></plist>",
        "<plist><dict><key>a</key><integer>five</integer></dict></plist>",
        "<plist>" + String(repeating: "<array>", count: 65_536) + "</plist>",
        "<plist>" + String(repeating: "<dict><key>a</key>", count: 65_536) + "</plist>",
    ])
    func badListsAreErrors(_ text: String) {
        #expect(throws: BundleError.self) { try parse(Array(text.utf8)) }
    }

    /// What is wrong is told in words, without the look of a value in a debugger.
    @Test func parserErrorsReadAsProse() {
        let text = #"<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "b">]><plist><dict/></plist>"#
        let error = #expect(throws: BundleError.self) { try parse(Array(text.utf8)) }
        #expect(error?.code == .badPropertyList)
        #expect(error?.message.contains("CocoaError") == false)
    }

    /// Mutations of an XML and a binary list: reading answers or throws, and never traps.
    @Test func mutatedListsNeverTrap() throws {
        var random = SeededGenerator.forTest()
        let xml = Array(AppFixture.plist(AppFixture.managedKeys(manifestURL: "https://a/b")).utf8)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let binary = Array(try encoder.encode(["a": ["b": [1, 2, 3], "c": [4]]]))
        for round in 0..<4000 {
            var bytes = round % 2 == 0 ? xml : binary
            for _ in 0...Int.random(in: 0..<6, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            _ = try? parse(bytes)
        }
    }
}
