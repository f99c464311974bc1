// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import AssetPacks

struct ModelTests {
    @Test(arguments: ["Tutorial", "a", "com.example.pack-1", "a_b", "0", String(repeating: "x", count: 128)])
    func goodIdentifier(_ identifier: String) { #expect(AssetPackIdentifier.problem(with: identifier) == nil) }

    @Test(arguments: [
        ("", "is empty"), (".hidden", "starts with a dot"), ("..", "starts with a dot"),
        (String(repeating: "x", count: 129), "is longer than 128 characters"),
        ("a/b", "holds \"/\", but only A-Z, a-z, 0-9, \".\", \"_\" and \"-\" are allowed"),
        ("a b", "holds \" \", but only A-Z, a-z, 0-9, \".\", \"_\" and \"-\" are allowed"),
        ("é", "holds \"é\", but only A-Z, a-z, 0-9, \".\", \"_\" and \"-\" are allowed"),
        ("a\nb", "holds the control character U+A, but only A-Z, a-z, 0-9, \".\", \"_\" and \"-\" are allowed"),
    ])
    func badIdentifier(_ identifier: String, _ problem: String) {
        #expect(AssetPackIdentifier.problem(with: identifier) == problem)
    }

    @Test(arguments: [
        ("./a//b/", "a/b"), (".", ""), ("a/./b", "a/b"), ("…", "…"), ("a/\u{301}../b", "a/\u{301}../b"),
    ])
    func goodPath(_ text: String, _ normal: String) throws { #expect(try PackPath(text).string == normal) }

    @Test(arguments: [
        "", "/a", "a/../b", "..", "a\0", "a\u{600}/../b", "a/\u{301}/..", String(repeating: "n", count: 256),
    ])
    func badPath(_ text: String) { #expect(throws: PackPath.Problem.self) { try PackPath(text) } }

    @Test func pathsAreBytes() throws {
        #expect(try PackPath("\u{E9}") != PackPath("e\u{301}"))
        #expect(try PackPath("a/\u{301}b/c").components == ["a", "\u{301}b", "c"])
    }

    @Test func pathParts() throws {
        let path = try PackPath("a/b/c")
        #expect(path.name == "c")
        #expect(path.parent.string == "a/b")
        #expect(try PackPath("a").parent.isRoot)
        #expect(try PackPath.root.appending(PackPath("x/y")).string == "x/y")
    }
}
