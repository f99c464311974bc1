// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// Names in packs that are characters of other extent than bytes.
@Suite struct PackPathTests {
    private func withAppRoot(_ body: (FilePath, AppGenerations) throws -> Void) throws {
        try Scratch.with { scratch in
            let generations = AppGenerations(layout: AppRootLayout(root: scratch.path))
            try generations.prepare()
            try body(scratch.path, generations)
        }
    }

    /// A mark that joins the slash before it is a name's first, and the name no way out.
    @Test func namesThatJoinTheirSlashStayInThePack() throws {
        try withAppRoot { root, generations in
            let files: [String: [UInt8]] = ["\u{301}../a": [1], "b\u{600}/c": [2], "d/\u{301}/e": [3]]
            var fixture = PackFixture("levels", files: files)
            fixture.entries = [.link("Contents/l", "b\u{600}/c")]
            try install(fixture, in: generations)
            #expect(try readableFiles(root) == files.merging(["l": [2]]) { $1 })
            let folder = root.appending(try #require(try generations.localPacks().first).directory)
            #expect(try FileDescriptor.currentDirectory.status(at: folder.appending("\u{301}../a")).size == 1)
        }
    }

    @Test(arguments: ["a\u{600}/../../x", "/\u{301}x", "a/\u{301}/../../../x"])
    func linksThatJoinTheirSlashDoNotLeadOut(_ target: String) throws {
        try withAppRoot { _, generations in
            var fixture = PackFixture("levels", files: ["a": [1]])
            fixture.entries = [.link("Contents/l", target)]
            let error = #expect(throws: StoreError.self) { try install(fixture, in: generations) }
            #expect(error?.code == .badArchive && error?.message.contains("leads out of the pack") == true)
        }
    }
}
