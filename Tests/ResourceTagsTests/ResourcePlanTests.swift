// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Kit
import TestSupport
import Testing

@testable import ResourceTags

struct ResourcePlanTests {
    private func file(_ path: String, from source: String? = nil, size: Int64 = 1) throws -> Selection.Item {
        Selection.Item(
            destination: try PackPath(path),
            content: .file(source: try PackPath(source ?? path), size: size, isExecutable: false))
    }

    private func plan(
        _ selections: [(tag: String, items: [Selection.Item])], _ categories: ResourceTagCategories = .init()
    ) throws -> ResourcePlan {
        try ResourcePlan(bundleID: "org.example.game", categories: categories, selections: selections)
    }

    @Test func whatIsTaggedAlikeIsOnePack() throws {
        let plan = try plan(
            [
                ("cave", [file("a", size: 10), file("music", size: 5)]),
                ("forest", [file("b", size: 20), file("music", size: 5)]),
                ("coast", [file("a", size: 10)]),
            ], .init(initialInstall: ["coast"], prefetchOrder: ["forest"]))
        let packs = Dictionary(uniqueKeysWithValues: plan.packs.map { ($0.tags.tags, $0) })
        #expect(Set(packs.keys) == [["cave", "coast"], ["cave", "forest"], ["forest"]])
        #expect(packs[["cave", "coast"]]?.subpaths == ["a"])
        #expect(packs[["cave", "coast"]]?.priority == 1)
        #expect(packs[["cave", "forest"]]?.downloadPolicy == .prefetch([.firstInstallation]))
        #expect(plan.packs.first?.tags.tags == ["cave", "coast"], "what is fetched first stands first")
        #expect(plan.sizesByTag == ["cave": 15, "forest": 25, "coast": 10])
        #expect(plan.onDemandResources.packIDsByTag["cave"]?.count == 2)
    }

    /// Whatever carries whatever: each file is in exactly one pack, that of its tags, and a tag's packs are what carries it.
    @Test func everyFileIsInThePackOfItsTags() throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<50 {
            let tags = (0..<Int.random(in: 1...6, using: &random)).map { "t\($0)" }
            var tagsByFile: [String: Set<String>] = [:]
            var selections: [(tag: String, items: [Selection.Item])] = []
            for tag in tags {
                let names = Set(
                    (0...Int.random(in: 0..<12, using: &random)).map { _ in
                        "d/f\(Int.random(in: 0..<20, using: &random))"
                    })
                for name in names { tagsByFile[name, default: []].insert(tag) }
                selections.append((tag, try names.sorted().map { try file($0) }))
            }
            let plan = try plan(selections)
            var seen: [String: Set<String>] = [:]
            for pack in plan.packs {
                for path in pack.subpaths { #expect(seen.updateValue(Set(pack.tags.tags), forKey: path) == nil) }
            }
            #expect(seen == tagsByFile)
            #expect(Set(plan.packs.map(\.id)).count == Set(tagsByFile.values).count)
            let list = plan.onDemandResources
            for tag in tags {
                let files = Set(list.packIDsByTag[tag, default: []].flatMap { list.subpathsByPackID[$0] ?? [] })
                #expect(files == Set(tagsByFile.filter { $0.value.contains(tag) }.keys))
            }
        }
    }

    @Test func twoSourcesForOnePlaceAreAnError() throws {
        let error = #expect(throws: AssetPackError.self) {
            try plan([("cave", [file("a", from: "x")]), ("forest", [file("a", from: "y")])])
        }
        #expect(error?.code == .conflict)
        for part in ["\"a\"", "\"x\" with the tag \"cave\"", "\"y\" with the tag \"forest\""] {
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
    }

    /// A link whose target comes and goes with other tags would lead nowhere.
    @Test func linksStayWithinAPack() throws {
        let link = Selection.Item(
            destination: try PackPath("l"), content: .link(source: try PackPath("l"), target: "a"))
        #expect(throws: Never.self) { try plan([("cave", [file("a"), link])]) }
        let error = #expect(throws: AssetPackError.self) {
            try plan([("cave", [file("a"), link]), ("forest", [file("a")])])
        }
        #expect(error?.message.contains("the tags \"cave\"") == true)
    }

    @Test func setsThatWouldHaveOneNameAreAnError() throws {
        #expect(throws: ResourceTagsError.self) {
            try plan([("a", [file("x")]), ("b", [file("x")]), ("a:b", [file("y")])])
        }
        #expect(throws: ResourceTagsError.self) { try plan([("a", [])]) }
    }

    @Test func aPacksManifestTakesWhatThePackHolds() throws {
        let plan = try plan([("cave", [file("d/a"), file("d/b", from: "e/b")])])
        let manifest = try #require(plan.packs.first?.manifest)
        let again = try PackManifest.decode(manifest.archivedBytes, source: "again")
        #expect(again.assetPackID == plan.packs[0].id)
        #expect(again.downloadPolicy == .onDemand)
        #expect(again.fileSelectors.map(\.kind) == manifest.fileSelectors.map(\.kind))
        #expect(manifest.fileSelectors.count == 2)
    }

    @Test func limitsSayWhatIsTooBigAndByHowMuch() throws {
        let million: Int64 = 1_000_000
        let plan = try plan(
            [
                ("cave", [file("a", size: 600 * million)]), ("coast", [file("b", size: 1700 * million)]),
                ("start", [file("c", size: 2001 * million)]),
            ], .init(initialInstall: ["start"], prefetchOrder: ["coast", "cave"]))
        let findings = ResourceLimits.iOS17.findings(in: plan)
        func excess(_ kind: ResourceFinding.Kind, _ subject: String) -> Int64? {
            findings.first { $0.kind == kind && $0.subject == subject }?.excess
        }
        #expect(excess(.tagTooLarge, "cave") == 88 * million)
        #expect(excess(.tagTooLarge, "start") == 1489 * million)
        #expect(excess(.initialInstallTooLarge, "") == million)
        #expect(excess(.prefetchTooLarge, "") == 301 * million)
        #expect(excess(.inUseTooLarge, "start") == million)
        #expect(excess(.hostedTooLarge, "") == nil)
        #expect(
            findings.contains { $0.message.contains("\"cave\" has 600.0 MB, 88.0 MB more than the 512.0 MB of iOS") })
        #expect(ResourceLimits.iOS18.findings(in: plan).isEmpty)
        #expect(ResourceLimits.none.findings(in: plan).isEmpty)
        #expect(ResourceLimits.tvOS18.findings(in: plan).contains { $0.kind == .packTooLarge })
    }

    @Test(arguments: ResourceLimits.all) func aThousandPacksAreTheMost(_ limits: ResourceLimits) throws {
        let items = try (0..<1001).map { try file("f\($0)") }
        let plan = try plan(items.enumerated().map { ("t\($0)", [$1]) })
        #expect(limits.findings(in: plan).contains { $0.kind == .tooManyPacks } == (limits.packCount != nil))
    }
}
