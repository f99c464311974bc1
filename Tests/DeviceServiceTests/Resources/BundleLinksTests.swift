// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Links of tagged packs in an app's base: nothing is made outside of it, and nothing of the app's own is touched.
@Suite struct BundleLinksTests {
    private static let app = TaggedApp([
        TaggedApp.Part(["one"], ["Levels/1.bin": [1]]), TaggedApp.Part(["two"], ["Levels/2.bin": [2]]),
    ])
    private static let pack = app.parts[0].packID
    private static let directory = "packs/\(pack)/1"

    private let here = FileDescriptor.currentDirectory

    /// An app root with a base of its own, and something beside it that must stay as it is.
    private func with(_ body: (BundleLinks, _ base: FilePath, Scratch) throws -> Void) throws {
        try Scratch.with { scratch in
            let base = scratch("root/bundle/7/Probe.app")
            try scratch.write(Self.app.lists.list, to: "root/bundle/7/Probe.app/OnDemandResources.plist")
            try scratch.write("mine", to: "root/bundle/7/Probe.app/own.txt")
            try here.makeSymbolicLink(to: "7", at: scratch("root/bundle/current"))
            try scratch.write("outside", to: "outside/file")
            try body(BundleLinks(layout: AppRootLayout(root: scratch("root"))), base, scratch)
        }
    }

    private func write(_ path: String, _ scratch: Scratch) throws {
        try scratch.write("tagged", to: "root/\(Self.directory)/\(path)")
    }

    @Test func filesLieWhereTheyWouldHadTheyComeWithTheApp() throws {
        try with { links, base, scratch in
            let files = ["Levels/1.bin", "Levels/deep/x.bin", "top.bin"]
            for file in files { try write(file, scratch) }
            try links.link(Self.pack, files: files, in: Self.directory)
            for file in files {
                #expect(try here.status(at: base.appending(file)).kind == .symbolicLink)
                #expect(try File.read(base.appending(file)) == Array("tagged".utf8))
            }
            // Again is the same; another version takes the place of the first.
            try links.link(Self.pack, files: files, in: Self.directory)
            try links.link(Self.pack, files: ["top.bin"], in: "packs/\(Self.pack)/2")
            #expect(try here.readLink(at: base.appending("top.bin")).hasSuffix("/2/top.bin"))
            try links.unlink(Self.pack, files: files, in: Self.directory)
            #expect(try scratch.tree("root/bundle/7/Probe.app") == ["OnDemandResources.plist", "own.txt", "top.bin"])
        }
    }

    @Test func whatIsNotAPackOfTheAppsListIsNotLinked() throws {
        try with { links, _, scratch in
            let before = try scratch.tree("root/bundle")
            try links.link("org.example.other", files: ["x.bin"], in: "packs/org.example.other/1")
            #expect(try scratch.tree("root/bundle") == before)
        }
    }

    @Test(arguments: [
        "../escaped.bin", "../../escaped.bin", "Levels/../../escaped.bin", "..", ".", "./escaped.bin", "Levels/.",
        "/etc/escaped.bin", "//escaped.bin", "Levels//escaped.bin", "", "Levels/", "escaped\0.bin",
        "Le\0vels/escaped.bin",
        "Extensions/Evil.appex/escaped.bin", "PlugIns/escaped.bin", "Frameworks/escaped.bin",
    ])
    func aHostilePathMakesNothing(path: String) throws {
        try with { links, _, scratch in
            let before = try scratch.tree("")
            try links.link(Self.pack, files: [path], in: Self.directory)
            #expect(try scratch.tree("") == before)
            try links.unlink(Self.pack, files: [path], in: Self.directory)
            #expect(try scratch.tree("") == before)
        }
    }

    @Test func nothingIsReachedThroughALinkOfTheApp() throws {
        try with { links, base, scratch in
            try here.makeSymbolicLink(to: "../../../../outside", at: base.appending("Levels"))
            try here.makeSymbolicLink(to: "own.txt", at: base.appending("top.bin"))
            try write("Levels/1.bin", scratch)
            try write("Levels/file", scratch)
            let files = ["Levels/1.bin", "Levels/file", "own.txt", "own.txt/x", "top.bin"]
            let before = try scratch.tree("outside")
            try links.link(Self.pack, files: files, in: Self.directory)
            #expect(try scratch.tree("outside") == before)
            #expect(try File.read(base.appending("own.txt")) == Array("mine".utf8))
            #expect(try here.readLink(at: base.appending("top.bin")) == "own.txt")
            try links.unlink(Self.pack, files: files, in: Self.directory)
            #expect(try scratch.tree("outside") == before)
            #expect(try File.read(base.appending("own.txt")) == Array("mine".utf8))
            #expect(try here.readLink(at: base.appending("top.bin")) == "own.txt")
        }
    }

    @Test func onlyOwnLinksThatLeadNowhereAreCleanedUp() throws {
        try with { links, base, scratch in
            try write("Levels/1.bin", scratch)
            try links.link(Self.pack, files: ["Levels/1.bin", "gone.bin"], in: Self.directory)
            try here.makeSymbolicLink(to: "nowhere", at: base.appending("theirs"))
            try here.makeSymbolicLink(to: "../nowhere/packs", at: base.appending("theirs2"))
            try here.makeSymbolicLink(to: "../../../../outside", at: base.appending("away"))
            try links.removeDangling()
            let names = try here.entries(at: base).map(\.name).sorted()
            #expect(names == ["Levels", "OnDemandResources.plist", "away", "own.txt", "theirs", "theirs2"])
            #expect(try File.read(base.appending("Levels/1.bin")) == Array("tagged".utf8))
        }
    }
}
