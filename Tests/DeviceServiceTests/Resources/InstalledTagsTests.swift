// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import TestSupport
import Testing

@testable import DeviceService

@Suite struct InstalledTagsTests {
    private let tags = InstalledTags(packIDsByTag: ["one": ["a", "b"], "two": ["b"], "none": []])

    @Test func tagsHavePacks() throws {
        #expect(try tags.packs(of: ["one", "two"], app: "app") == ["a", "b"])
        #expect(try tags.packs(of: ["none"], app: "app") == [])
        #expect(tags.tagsByPackID == ["a": ["one"], "b": ["one", "two"]])
    }

    @Test func anUnknownTagIsNamed() throws {
        let error = try #require(throws: DeviceError.self) { try tags.packs(of: ["one", "x"], app: "app") }
        #expect(error.code == .unknownTag)
        #expect(error.message.contains("\"x\""))
    }

    /// A build without an address has a template only.
    @Test func theOrderOfPrefetchingComesFromTheTemplateToo() throws {
        try Scratch.with { scratch in
            #expect(try InstalledTags(app: scratch.path) == nil)
            let (list, manifest) = TaggedApp([
                TaggedApp.Part(["a"], ["a.bin": [1]], policy: "prefetch", priority: 0.95),
                TaggedApp.Part(["b"], ["b.bin": [1]], policy: "prefetch", priority: 0.05),
            ]).lists
            try scratch.write(list, to: "OnDemandResources.plist")
            #expect(try InstalledTags(app: scratch.path)?.downloadPriorities == [:])
            try scratch.write(manifest, to: "AssetPackManifestTemplate.plist")
            #expect(try InstalledTags(app: scratch.path)?.downloadPriorities.values.sorted() == [0.05, 0.95])
            // What was filled in goes over it.
            let other = TaggedApp([TaggedApp.Part(["a"], ["a.bin": [1]], policy: "prefetch", priority: 0.5)])
            try scratch.write(other.lists.manifest, to: "AssetPackManifest.plist")
            #expect(try InstalledTags(app: scratch.path)?.downloadPriorities.values.sorted() == [0.5])
        }
    }

    @Test func aPackIsKeptAsItsMostPreservedTag() {
        #expect(tags.preservation(of: "b", ["one": 0.2, "two": 0.9]) == Preservation(.whole, priority: 0.9))
        #expect(tags.preservation(of: "a", ["one": 0.2, "two": 0.9]) == Preservation(.whole, priority: 0.2))
        #expect(tags.preservation(of: "a", [:]) == Preservation(.whole, priority: 0))
    }
}
