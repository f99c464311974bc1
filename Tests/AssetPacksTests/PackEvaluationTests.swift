// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import AssetPacks

struct PackEvaluationTests {
    private func manifest(_ selectors: String, platforms: String = "[]", id: String = "a") -> String {
        """
        {"assetPackID": "\(id)", "downloadPolicy": {"onDemand": {}}, "sourceRoot": "src",
         "platforms": \(platforms), "fileSelectors": \(selectors)}
        """
    }

    private static let macExecutable: [UInt8] =
        [0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1, 3, 0, 0, 0, 2, 0, 0, 0] + [UInt8](repeating: 0, count: 16)

    @Test func underscoreIsWarnedAbout() throws {
        try Scratch.with { scratch in
            try scratch.write("x", to: "src/a/x")
            let evaluation = try PackFixture(scratch: scratch).evaluate(manifest("[{\"directory\":\"a\"}]", id: "a_b"))
            #expect(evaluation.warnings.map(\.kind) == [.underscoreInIdentifier])
        }
    }

    @Test func macExecutables() throws {
        try Scratch.with { scratch in
            try scratch.write(Self.macExecutable, to: "src/a/tool")
            try scratch.write("x", to: "src/a/x")
            let fixture = PackFixture(scratch: scratch)
            for platforms in ["[]", "[\"macOS\"]", "[\"iOS\", \"macOS\"]"] {
                let error = try #require(throws: AssetPackError.self) {
                    try fixture.evaluate(manifest("[{\"directory\":\"a\"}]", platforms: platforms))
                }
                #expect(error.code == .macExecutable)
                #expect(
                    error.message.hasPrefix("\"a/tool\" is a macOS executable, which Apple allows in no asset pack."))
            }
            #expect(
                try fixture.evaluate(manifest("[{\"directory\":\"a\"}]", platforms: "[\"iOS\", \"Linux\"]")).selection
                    .fileCount == 2)
            #expect(
                try fixture.evaluate(manifest("[{\"directory\":\"a\"}, {\"fileExclusion\":\"tool\"}]")).selection
                    .fileCount
                    == 1)
        }
    }

    @Test func specialFilesAndLinksOnDisk() throws {
        try Scratch.with { scratch in
            let fixture = PackFixture(scratch: scratch)
            try scratch.write("x", to: "src/a/x")
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "/etc/passwd", at: scratch("src/a/l"))
            #expect(throws: AssetPackError.self) { try fixture.evaluate(manifest("[{\"directory\":\"a\"}]")) }
            try FileDescriptor.currentDirectory.remove(at: scratch("src/a/l"))
            _ = try ChildProcess.run(executable: "/usr/bin/mkfifo", arguments: [scratch("src/a/p").string])
            let error = try #require(throws: AssetPackError.self) {
                try fixture.evaluate(manifest("[{\"directory\":\"a\"}]"))
            }
            #expect(error.message.contains("\"a/p\" is a device, socket or pipe"))
        }
    }

    @Test func namesThatAreNoUTF8() throws {
        try Scratch.with { scratch in
            try scratch.makeDirectory("src/a")
            _ = try ChildProcess.run(
                executable: "/bin/sh", arguments: ["-c", "printf x > \"$(printf '\\377')\""],
                workingDirectory: scratch("src/a"))
            let error = try #require(throws: AssetPackError.self) {
                try PackFixture(scratch: scratch).evaluate(manifest("[{\"directory\":\"a\"}]"))
            }
            #expect(error.code == .unsupportedFile)
            #expect(error.message.contains("is not UTF-8"))
        }
    }

    @Test func missingSourceRoot() throws {
        try Scratch.with { scratch in
            let error = try #require(throws: AssetPackError.self) {
                try PackFixture(scratch: scratch).evaluate(manifest("[{\"directory\":\"a\"}]"))
            }
            #expect(error.code == .notFound)
            #expect(
                error.message.hasSuffix(
                    "cannot be used: No such file or directory. Write its path from the manifest's own folder."))
        }
    }

    @Test func everythingExcluded() throws {
        try Scratch.with { scratch in
            try scratch.write("x", to: "src/a/x")
            let error = try #require(throws: AssetPackError.self) {
                try PackFixture(scratch: scratch).evaluate(
                    manifest("[{\"directory\":\"a\"}, {\"fileExclusion\":\"x\"}]"))
            }
            #expect(error.message == "The pack \"a\" would be empty: every file is excluded.")
        }
    }
}
