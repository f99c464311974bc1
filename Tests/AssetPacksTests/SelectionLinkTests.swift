// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import AssetPacks

struct SelectionLinkTests {
    private func tree(_ links: [String: String]) -> MemoryListing {
        MemoryListing(
            ["a/x": .small, "a/d/y": .small, "b/z": .small].merging(links.mapValues { .link(target: $0) }) { $1 })
    }

    @Test(arguments: [
        ("a/l", "x"), ("a/l", "./d/y"), ("a/l", "d"), ("a/l", "../b/z"), ("a/d/l", "../../a/x"), ("a/d/l", "../../b"),
    ])
    func isKept(link: String, target: String) throws {
        let selection = try SelectionPlanner.select([.directory("a"), .directory("b")], from: tree([link: target]))
        #expect(selection.linkCount == 1)
        #expect(selection.paths.contains(link))
    }

    @Test(arguments: [
        ("a/l", "/etc/passwd", "is an absolute path"),
        ("a/l", "../../x", "is outside the pack"),
        ("a/l", "d\u{600}/../../../x", "goes down and up again, where it must be written without detours"),
        ("a/l", "d/../x", "goes down and up again, where it must be written without detours"),
        ("a/l", "missing", "leads to \"a/missing\", and that is not in the pack"),
        ("a/l", "../c/z", "leads to \"c\", and that is not in the pack"),
        ("a/l", "x/y", "takes the file \"a/x\" for a folder"),
        ("a/l", "l", "goes in a circle"),
        ("a/l", "", "is no valid path"),
        ("a/l", ".", "is a folder that the link is in"),
        ("a/l", "..", "is a folder that the link is in"),
    ])
    func isRefused(link: String, target: String, problem: String) throws {
        let error = try #require(throws: AssetPackError.self) {
            try SelectionPlanner.select([.directory("a"), .directory("b")], from: tree([link: target]))
        }
        #expect(error.code == .unsupportedFile)
        #expect(
            error.message
                == "M.json:2:1: the symbolic link \"a/l\" points to \"\(target)\", which \(problem). A pack keeps links "
                + "only to what it holds itself: replace the link by a copy, select what it points to, or add "
                + "{\"fileExclusion\": \"a/l\"}.")
    }

    @Test func throughAnotherLink() throws {
        let good = tree(["a/l": "m/y", "a/m": "d"])
        #expect(try SelectionPlanner.select([.directory("a")], from: good).linkCount == 2)
        let bad = tree(["a/l": "m/../../q", "a/m": "../b"])
        #expect(throws: AssetPackError.self) {
            try SelectionPlanner.select([.directory("a"), .directory("b")], from: bad)
        }
    }

    @Test func excludedLinksAreNotJudged() throws {
        let selection = try SelectionPlanner.select(
            [.directory("a"), .exclusion("a/l")], from: tree(["a/l": "/etc/passwd"]))
        #expect(selection.linkCount == 0)
    }

    @Test func foldersAreNotReachedThroughLinks() throws {
        let linked = tree(["l": "a"])
        for selector in [try FileSelector.directory("l"), try .file("l/x"), try .file("l/x", to: "x")] {
            let error = try #require(throws: AssetPackError.self) {
                try SelectionPlanner.select([selector], from: linked)
            }
            #expect(error.message.hasSuffix("Name the folder itself."))
        }
        #expect(try SelectionPlanner.select([.pattern("**/x")], from: linked).paths == ["a/x"])
    }

    /// Few bytes of an archive can ask for much work: every one of many links goes through the same long chain.
    @Test func chainsOfLinksAreFollowedSoFarOnly() throws {
        var items = [
            Selection.Item(
                destination: try PackPath("x"), content: .file(source: try PackPath("x"), size: 1, isExecutable: false),
                selector: nil)
        ]
        func link(_ name: String, to target: String) throws {
            let path = try PackPath(name)
            items.append(Selection.Item(destination: path, content: .link(source: path, target: target), selector: nil))
        }
        let detour = String(repeating: "./", count: 500)
        for number in 1...20 { try link("chain\(number)", to: detour + (number == 20 ? "x" : "chain\(number + 1)")) }
        for number in 1...50 { try link("link\(number)", to: "chain1") }
        try SelectionChecks.checkLinks(items, selectors: [])
        let error = try #require(throws: AssetPackError.self) {
            try SelectionChecks.checkLinks(items, selectors: [], lookingUpAtMost: 8 << 20)
        }
        #expect(error.code == .unsupportedFile)
        #expect(error.message.contains("which leads, as do the links before it, through more links than are followed."))
    }
}
