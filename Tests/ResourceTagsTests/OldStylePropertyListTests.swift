// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@testable import ResourceTags

struct OldStylePropertyListTests {
    private func describe(_ node: OldStylePropertyList.Node) -> String {
        switch node.content {
        case .string(let text): "\"\(text)\""
        case .data(let bytes): "<\(bytes)>"
        case .array(let nodes): "(\(nodes.map(describe).joined(separator: ",")))"
        case .dictionary(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key)=\(describe($0.value));" }.joined() + "}"
        }
    }

    private func read(_ text: String) throws -> String { describe(try OldStylePropertyList.parse(Array(text.utf8))) }

    @Test(arguments: [
        ("{a=b;}", "{a=\"b\";}"),
        ("// !$*UTF8*$!\n{ /* c */ a = (b, \"c d\", ); }\n", "{a=(\"b\",\"c d\");}"),
        ("( )", "()"), ("{}", "{}"), ("\u{FEFF}x.y_z/$-:1", "\"x.y_z/$-:1\""),
        (#""a\n\t\"\\\U00fc\101\'""#, "\"a\n\t\"\\üA'\""), (#""\Ud83d\Ude00""#, "\"😀\""),
        ("'it \"is\"'", "\"it \"is\"\""), ("<0a FF\n10>", "<[10, 255, 16]>"), ("<>", "<[]>"),
        ("{\"a b\" = {c = ();};}", "{a b={c=();};}"), ("\"żółw\"", "\"żółw\""),
    ])
    func whatXcodeWritesIsRead(text: String, expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: [
        ("", 1, "ends too early"), ("{a=b;} c", 1, "\"c\" behind the end"), ("{\na = b\n}", 3, "\";\" must stand"),
        ("{\na b;\n}", 2, "\"=\" must stand"), ("{a = 1;\na = 2;}", 2, "second \"a\"; the first is in line 1"),
        ("(a\nb)", 2, "a comma or \")\""), ("{a = (b", 1, "the end of the file"), ("\"abc", 1, "does not end"),
        ("/* a\n*", 1, "comment that does not end"), ("<0>", 1, "not complete"), ("<0a", 1, "not complete"),
        ("{\n<<<<<<< ours\n}", 2, "has \"<\""), (#""\Ud83d""#, 1, "no character"), (#""\U12""#, 1, "not complete"),
        (#""\377""#, 1, "outside of ASCII"), ("\"\\", 1, "does not end"),
        ("{a = <<<< ours;}", 1, "conflict of a merge"),
        (String(repeating: "(", count: 100), 1, "nested too deeply"),
    ])
    func whatIsWrongIsToldWithItsLine(text: String, line: Int, reason: String) throws {
        let problem = try #require(throws: OldStylePropertyList.Problem.self) { try read(text) }
        #expect(problem.line == line && problem.reason.contains(reason), "\(problem)")
    }

    @Test func textThatIsNoUTF8IsRefused() {
        #expect(throws: OldStylePropertyList.Problem.self) {
            try OldStylePropertyList.parse(Array("{a = \"".utf8) + [0xFF] + Array("\";}".utf8))
        }
    }

    /// Whatever is done to a project, it is read or refused.
    @Test func damageIsRefusedOrReadAndNeverTraps() throws {
        var random = SeededGenerator.forTest()
        let project = try XcodeFixture.bytes("Caves")
        for _ in 0..<400 {
            var bytes = project
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2:
                    bytes.insert(contentsOf: Array("{}()=;,\"\\/<>".utf8.shuffled(using: &random).prefix(2)), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 200))
                }
            }
            do {
                _ = try XcodeProject(bytes, source: "project.pbxproj")
            } catch let error as ResourceTagsError {
                #expect(error.message.hasPrefix("project.pbxproj:"), "\(error.message)")
            }
        }
    }
}
