// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import Testing

/// Archives that others wrote.
@Suite struct RealArchiveTests {
    @Test func appleArchiveExtracts() throws {
        let folder = try TemporaryDirectory(prefix: "archive-tests")
        let target = folder.path.appending("out")
        let file = try OwnedDescriptor(fixturePath("app-with-xattr.lzfse.aar"), .readOnly)
        let summary = try ArchiveExtraction.extract(file.borrowed, to: target)
        #expect(summary.files == 152)
        #expect(summary.links == 6)
        #expect(summary.folders == 69)

        let links = try String(decoding: fixture("app-with-xattr.links"), as: UTF8.self)
        for line in links.split(separator: "\n") {
            let parts = String(line).split(separator: " ")
            let made = try FileDescriptor.currentDirectory.readLink(at: target.appending(String(parts[0])))
            #expect(made == parts[2])
        }
    }
}
