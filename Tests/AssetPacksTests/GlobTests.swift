// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import AssetPacks

struct GlobTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pattern: String
        let path: String
        let fits: Bool
        var testDescription: String { "\(pattern) \(fits ? "fits" : "does not fit") \(path)" }
    }

    static let cases: [Case] = [
        .init(pattern: "a.png", path: "a.png", fits: true),
        .init(pattern: "a.png", path: "A.png", fits: false),
        .init(pattern: "./a//b", path: "a/b", fits: true),
        .init(pattern: "*", path: "a", fits: true),
        .init(pattern: "*", path: ".hidden", fits: true),
        .init(pattern: "*", path: "a/b", fits: false),
        .init(pattern: "*.png", path: "x.y.png", fits: true),
        .init(pattern: "*.png", path: ".png", fits: true),
        .init(pattern: "*.png", path: "d/x.png", fits: false),
        .init(pattern: "a**b", path: "axxb", fits: true),
        .init(pattern: "a**b", path: "a/b", fits: false),
        .init(pattern: "?", path: "é", fits: true),
        .init(pattern: "??", path: "a", fits: false),
        .init(pattern: "**", path: "a", fits: true),
        .init(pattern: "**", path: "a/b/c", fits: true),
        .init(pattern: "**/*.png", path: "x.png", fits: true),
        .init(pattern: "**/*.png", path: "a/b/x.png", fits: true),
        .init(pattern: "a/**", path: "a", fits: false),
        .init(pattern: "a/**", path: "a/b", fits: true),
        .init(pattern: "a/**", path: "a/b/c", fits: true),
        .init(pattern: "a/**", path: "ab/c", fits: false),
        .init(pattern: "a/**/z", path: "a/z", fits: true),
        .init(pattern: "a/**/z", path: "a/b/c/z", fits: true),
        .init(pattern: "a/**/**/z", path: "a/z", fits: true),
        .init(pattern: "a/**/b/**/c", path: "a/x/b/b/y/c", fits: true),
        .init(pattern: "a/**/b/**/c", path: "a/x/y/c", fits: false),
        .init(pattern: "[abc].x", path: "b.x", fits: true),
        .init(pattern: "[!abc].x", path: "b.x", fits: false),
        .init(pattern: "[^abc].x", path: "d.x", fits: true),
        .init(pattern: "[a-f0-9]", path: "7", fits: true),
        .init(pattern: "[]x]", path: "]", fits: true),
        .init(pattern: "[a-]", path: "-", fits: true),
        .init(pattern: "[\\]]", path: "]", fits: true),
        .init(pattern: "*.{png,jpg}", path: "x.jpg", fits: true),
        .init(pattern: "*.{png,jpg}", path: "x.gif", fits: false),
        .init(pattern: "{a/b,c}/d", path: "a/b/d", fits: true),
        .init(pattern: "{a/b,c}/d", path: "c/d", fits: true),
        .init(pattern: "{a,b{c,d}}", path: "bd", fits: true),
        .init(pattern: "x{,y}", path: "x", fits: true),
        .init(pattern: "\\*", path: "*", fits: true),
        .init(pattern: "\\*", path: "a", fits: false),
        .init(pattern: "\\{a,b\\}", path: "{a,b}", fits: true),
        .init(pattern: "a,b}", path: "a,b}", fits: true),
        .init(pattern: "[{,}]", path: ",", fits: true),
    ]

    @Test(arguments: cases)
    func fits(_ test: Case) throws {
        #expect(try Glob(test.pattern).matches(PackPath(test.path)) == test.fits)
    }

    @Test(arguments: [
        ("", "is empty"), ("/a", "is an absolute path; patterns are relative here"),
        ("a/", "ends with a slash; \"**\" after it takes everything the folder holds"),
        ("../a", "leaves its folder through \"..\""), ("a/{..,b}/c", "leaves its folder through \"..\""),
        ("[a", "has a \"[\" without its \"]\"; write \"\\\\[\" for the character itself"),
        ("{a", "has a \"{\" without its \"}\"; write \"\\\\{\" for the character itself"),
        ("a\\", "ends with a \"\\\" that has nothing to stand before"),
        ("[z-a]", "has the range \"z-a\" the wrong way round"),
        ("./.", "names nothing"), ("a\0b", "holds a NUL character"),
    ])
    func isRefused(pattern: String, reason: String) throws {
        let problem = try #require(throws: Glob.Problem.self) { try Glob(pattern) }
        #expect(problem.reason == reason)
    }

    @Test func bracesThatMultiplyAreRefused() throws {
        let pattern = String(repeating: "{a,b}", count: 40)
        let problem = try #require(throws: Glob.Problem.self) { try Glob(pattern) }
        #expect(problem.reason == "stands for more than 1024 alternatives")
    }

    @Test func nameAnywhereOrPathFromTheRoot() throws {
        #expect(try Glob(nameOrPath: "*.psd").matches(PackPath("a/b/x.psd")))
        #expect(try Glob(nameOrPath: "*.psd").matches(PackPath("x.psd")))
        #expect(try !Glob(nameOrPath: "./*.psd").matches(PackPath("a/x.psd")))
        #expect(try Glob(nameOrPath: "./*.psd").matches(PackPath("x.psd")))
    }

    /// Against a matcher that tries everything: slow, and too simple to be wrong the same way.
    @Test func agreesWithASimpleMatcher() throws {
        var generator = SeededGenerator.forTest()
        let seed = generator.seed
        func text(_ alphabet: [String], _ lengths: ClosedRange<Int>) -> String {
            (0..<Int.random(in: lengths, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? ""
            }
            .joined()
        }
        for _ in 0..<5_000 {
            let pattern = (0...Int.random(in: 0...3, using: &generator))
                .map { _ in text(["a", "b", "*", "?", "**"], 1...3) }.joined(separator: "/")
            let path = (0...Int.random(in: 0...3, using: &generator)).map { _ in text(["a", "b"], 1...3) }
                .joined(separator: "/")
            let expected = Self.simple(pattern.split(separator: "/")[...], path.split(separator: "/")[...])
            #expect(
                try Glob(pattern).matches(PackPath(path)) == expected, "seed \(seed): \(pattern) on \(path)")
        }
    }

    private static func simple(_ pattern: ArraySlice<Substring>, _ path: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == "**" {
            if pattern.count == 1 { return !path.isEmpty }
            return (0...path.count).contains { simple(pattern.dropFirst(), path.dropFirst($0)) }
        }
        guard let name = path.first, simple(Array(first)[...], Array(name)[...]) else { return false }
        return simple(pattern.dropFirst(), path.dropFirst())
    }

    private static func simple(_ pattern: ArraySlice<Character>, _ name: ArraySlice<Character>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" { return (0...name.count).contains { simple(pattern.dropFirst(), name.dropFirst($0)) } }
        guard let letter = name.first, first == "?" || first == letter else { return false }
        return simple(pattern.dropFirst(), name.dropFirst())
    }
}
