// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
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

    @Test func aPackIsKeptAsItsMostPreservedTag() {
        #expect(tags.preservation(of: "b", ["one": 0.2, "two": 0.9]) == Preservation(.whole, priority: 0.9))
        #expect(tags.preservation(of: "a", ["one": 0.2, "two": 0.9]) == Preservation(.whole, priority: 0.2))
        #expect(tags.preservation(of: "a", [:]) == Preservation(.whole, priority: 0))
    }
}
