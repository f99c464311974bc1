// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Testing

@testable import ResourceTags

struct ResourceTagSetTests {
    /// The digests are what `printf cave:forest | md5sum` prints.
    @Test(arguments: [
        (["cave"], "e386df9ee22e271da0b7d489447870ff"), (["cave", "forest"], "1f4cdb39c7e3042a5ca809a83aa88293"),
        (["forest", "cave", "forest"], "1f4cdb39c7e3042a5ca809a83aa88293"),
    ])
    func aPackIsNamedAfterItsTags(tags: [String], hash: String) {
        let set = ResourceTagSet(tags)
        #expect(set.packID(bundleID: "org.example.game") == "org.example.game.asset-pack-\(hash)")
        let names = Set(tags).sorted().joined(separator: "+")
        #expect(set.directoryName(bundleID: "org.example.game") == "org.example.game.\(names)-\(hash).assetpack")
        #expect(AssetPackIdentifier.problem(with: set.packID(bundleID: "org.example.game")) == nil)
    }

    @Test func aFolderNameIsCutInFrontOfItsHash() {
        let long = ResourceTagSet((0..<40).map { "place-\($0)" })
        let name = long.directoryName(bundleID: "org.example.game")
        #expect(name.utf8.count == 240)
        #expect(name.hasPrefix("org.example.game.place-0+place-1+place-10"))
        #expect(name.hasSuffix("-\(long.hash).assetpack"))
        // A letter of several bytes goes as a whole.
        let wide = ResourceTagSet([String(repeating: "ż", count: 200)]).directoryName(bundleID: "org.example.game.x")
        #expect((239...240).contains(wide.utf8.count))
        #expect(wide.contains("żż-"))
    }

    @Test func prioritiesFollowTheOrder() {
        let four = ResourceTagCategories(initialInstall: ["start"], prefetchOrder: ["a", "b", "c", "d"])
        #expect(four.priority(of: "start") == 1)
        let expected = [0.95, 0.65, 0.35, 0.05]
        for (tag, value) in zip(four.prefetchOrder, expected) {
            #expect(abs((four.priority(of: tag) ?? 0) - value) < 1e-12, "\(tag)")
        }
        #expect(four.priority(of: "later") == nil)
        #expect(ResourceTagCategories(prefetchOrder: ["only"]).priority(of: "only") == 0.5)
        #expect(four.priority(of: ResourceTagSet(["d", "later", "b"])) == four.priority(of: "b"))
        #expect(four.priority(of: ResourceTagSet(["later"])) == nil)
    }

    @Test func theEarliestTagDecidesWhenAPackComes() {
        let categories = ResourceTagCategories(initialInstall: ["start"], prefetchOrder: ["next"])
        #expect(categories.downloadPolicy(of: ResourceTagSet(["later"])) == .onDemand)
        #expect(categories.downloadPolicy(of: ResourceTagSet(["later", "next"])) == .prefetch([.firstInstallation]))
        #expect(
            categories.downloadPolicy(of: ResourceTagSet(["later", "next", "start"]))
                == .essential([.firstInstallation]))
        #expect(categories.category(of: "next") == .prefetch)
        #expect(categories.category(of: "later") == .onDemand)
    }

    @Test(arguments: ["", "a/b", "a\nb", "a\u{0}", String(repeating: "x", count: 256)])
    func someTextsAreNoTags(_ tag: String) { #expect(ResourceTag.problem(with: tag) != nil) }

    @Test(arguments: ["cave", "Level 1", "żółw", "a:b", "lang-de"])
    func mostAre(_ tag: String) { #expect(ResourceTag.problem(with: tag) == nil) }
}
