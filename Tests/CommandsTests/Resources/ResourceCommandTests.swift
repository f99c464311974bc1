// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import Commands

struct ResourceCommandTests {
    private struct Shell {
        let scratch: Scratch

        func callAsFunction(_ words: String...) async -> PackShell.Outcome {
            await run(ResourceCommands.all, ["odr"] + words)
        }

        /// Builds, and does something else while packs are packed.
        func build(_ words: String..., meanwhile: @escaping @Sendable () -> Void) async -> PackShell.Outcome {
            let command = Command(
                "build", summary: "", options: ResourceCommands.build.options,
                arguments: ResourceCommands.build.arguments
            ) { arguments, context in
                let job = try BuildResourcesJob(arguments, context)
                _ = try await offload {
                    try job.run(
                        isCancelled: {
                            meanwhile()
                            return false
                        }, progress: { _, _ in })
                }
                return .success
            }
            return await run([command], ["build"] + words)
        }

        private func run(_ commands: [Command], _ words: [String]) async -> PackShell.Outcome {
            let (output, errors) = (BufferSink(), BufferSink())
            let context = CommandContext(
                programName: "larder", environment: [:], workingDirectory: scratch.path, standardOutput: output,
                standardError: errors)
            let root = Command("larder", summary: "", subcommands: commands)
            let code = await CommandRunner(root: root, version: "1").run(words, context: context)
            let place = scratch.path.string + "/"
            return .init(
                code: code, output: output.text.replacing(place, with: ""),
                errors: errors.text.replacing(place, with: ""))
        }
    }

    private static let tags = """
        {"bundleID": "org.example.game", "sourceRoot": "R", "initialInstall": ["start"], "prefetch": ["cave"],
         "tags": {"start": [{"file": "a"}], "cave": [{"directory": "Cave"}]}}
        """

    private func withTree(_ body: (Scratch, Shell) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            try scratch.write("start", to: "R/a")
            try scratch.write("level", to: "R/Cave/1.lvl")
            try scratch.write("own", to: "R/Art/own.png")
            try scratch.write(Self.tags, to: "Tags.json")
            try await body(scratch, Shell(scratch: scratch))
        }
    }

    @Test func buildMakesPacksAndLists() async throws {
        try await withTree { scratch, larder in
            let built = await larder("build", "--tags", "Tags.json", "-o", "Built")
            #expect(built.code == .success, "\(built.errors)")
            #expect(built.output.contains("start  initial install      1  5 bytes"), "\(built.output)")
            #expect(built.output.contains("Built: 2 packs, packed to "))
            let names = try scratch.tree("Built")
            let packs = names.filter { $0.hasSuffix(".aar") }
            #expect(packs.count == 2)
            #expect(names.filter { $0.hasSuffix(".index") } == packs.map { $0 + ".index" })
            #expect(
                names.filter { $0.hasPrefix("Resources") } == [
                    "Resources/AssetPackManifestTemplate.plist", "Resources/OnDemandResources.plist",
                ])
            let again = await larder("build", "--tags", "Tags.json", "-o", "Built")
            #expect(again.code == .failure)
            #expect(again.errors.contains("exists already and is not overwritten"))
            #expect(try scratch.tree("").allSatisfy { !$0.hasPrefix(".larder") }, "nothing is left behind")
            let bare = await larder("build", "--tags", "Tags.json", "-o", "Bare", "--no-index")
            #expect(bare.code == .success && bare.errors.isEmpty, "\(bare.errors)")
            #expect(try scratch.tree("Bare") == names.filter { !$0.hasSuffix(".index") })
            // Blocks that are not compressed are none: there can be no index, and that is said once.
            let stored = await larder("build", "--tags", "Tags.json", "-o", "Stored", "--compression", "none")
            #expect(stored.code == .success)
            #expect(stored.errors.split(separator: "can have no index").count == 2, "\(stored.errors)")
            #expect(try scratch.tree("Stored") == names.filter { !$0.hasSuffix(".index") })
        }
    }

    @Test func anAppGetsTheListsAndItsOwnResources() async throws {
        try await withTree { scratch, larder in
            var app = AppFixture()
            app.hasExtension = false
            _ = try app.write(in: scratch.path)
            for round in ["1", "2"] {
                let built = await larder(
                    "build", "R", "--tags", "Tags.json", "--app", "Game.app", "--copy-untagged", "-o", "Built\(round)",
                    "--download-base-url", "https://cdn.example.com/packs")
                #expect(built.code == .success, "\(built.errors)")
                #expect(built.errors.contains("BAEssentialDownloadAllowance"))
            }
            let names = try scratch.tree("Game.app")
            #expect(
                names == ["Art/own.png", "AssetPackManifest.plist", "Game", "Info.plist", "OnDemandResources.plist"])
            #expect(
                try scratch.text("Built2/DownloadManifest.json").contains(
                    "https://cdn.example.com/packs/org.example.game"))
            try scratch.write("trap", to: "R/Info.plist")
            let refused = await larder(
                "build", "--tags", "Tags.json", "--app", "Game.app", "--copy-untagged", "-o", "Built3")
            #expect(refused.code == .badInput)
            #expect(try scratch.text("Game.app/Info.plist").contains("CFBundleIdentifier"))
        }
    }

    /// Somebody else takes the output's name while it is being packed.
    @Test func aBuildThatFailsLeavesTheAppAsItWas() async throws {
        try await withTree { scratch, larder in
            var app = AppFixture()
            app.hasExtension = false
            _ = try app.write(in: scratch.path)
            let before = try scratch.tree("Game.app")
            let refused = await larder.build(
                "--tags", "Tags.json", "--app", "Game.app", "--copy-untagged", "-o", "Built"
            ) { _ = try? scratch.makeDirectory("Built/theirs") }
            #expect(refused.code == .failure && refused.errors.contains("exists already"), "\(refused.errors)")
            #expect(try scratch.tree("Game.app") == before)
            _ = try scratch.makeDirectory("Game.app/OnDemandResources.plist/x")
            try FileDescriptor.currentDirectory.removeTree(at: scratch("Built"))
            let blocked = await larder("build", "--tags", "Tags.json", "--app", "Game.app", "-o", "Built")
            #expect(blocked.code != .success && blocked.errors.contains("is a folder"), "\(blocked.errors)")
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("Built")))
        }
    }

    @Test func checkTellsWhatMustBePutRight() async throws {
        try await withTree { scratch, larder in
            let fine = await larder("check", "--tags", "Tags.json", "--limits", "ios17")
            #expect(fine.code == .success, "\(fine.errors)")
            #expect(fine.output.hasSuffix("2 packs: within iOS and iPadOS before 18\n"))
            try scratch.write([0x7F, 0x45, 0x4C, 0x46], to: "R/Cave/tool")
            let refused = await larder("check", "--tags", "Tags.json")
            #expect(refused.code == .badInput)
            #expect(refused.errors.contains("\"Cave/tool\" with the tags \"cave\" is an ELF file"))
            let json = await larder("check", "--tags", "Tags.json", "--json")
            #expect(json.code == .badInput)
            #expect(json.output.contains("\"kind\":\"executableCode\""))
            let built = await larder("build", "--tags", "Tags.json", "-o", "Built")
            #expect(built.code == .badInput)
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("Built")))
        }
    }

    @Test func migrateWritesManifestsThatPack() async throws {
        try await withTree { scratch, larder in
            try scratch.write("draft", to: "R/Cave/draft.psd")
            try scratch.write(
                """
                {"sourceRoot": "R", "initialInstall": ["start"], "exclude": ["*.psd"],
                 "tags": {"start": [{"file": "a"}], "cave": [{"directory": "Cave"}], "night": [{"file": "a"}]}}
                """, to: "Tags.json")
            try scratch.write(
                """
                import Foundation
                // NSBundleResourceRequest in a comment
                let request = NSBundleResourceRequest(tags: ["cave"])
                try await request.beginAccessingResources()
                let level = Bundle.main.url(forResource: "1", withExtension: "lvl")
                request.endAccessingResources()

                """, to: "Code/Game/Levels.swift")
            try scratch.write(
                "let a = Bundle.main.url(forResource: \"x\", withExtension: nil)\n", to: "Code/Other.swift")
            let again = await larder("migrate", "--tags", "Tags.json", "--code", "Code", "-o", "Moved")
            #expect(again.code == .success, "\(again.errors)")
            #expect(try scratch.tree("Moved") == ["cave.json", "night.start.json"])
            let lines = again.output.split(separator: "\n").filter { $0.hasPrefix("Code/") }
            #expect(
                lines.map { $0.split(separator: ":").prefix(3).joined(separator: ":") } == [
                    "Code/Game/Levels.swift:3: NSBundleResourceRequest",
                    "Code/Game/Levels.swift:4: beginAccessingResources",
                    "Code/Game/Levels.swift:5: url(forResource", "Code/Game/Levels.swift:6: endAccessingResources",
                ])
            #expect(again.output.contains("night  night.start"))

            let shell = PackShell(scratch: scratch)
            let cave = await shell("evaluate", "Moved/cave.json", "--json")
            #expect(cave.code == .success, "\(cave.errors)")
            #expect(cave.output.contains("\"destination\":\"Cave/1.lvl\""))
            #expect(cave.output.contains("\"fileCount\":1"), "the draft stays out")
            let start = await shell("evaluate", "Moved/night.start.json", "--json")
            #expect(start.output.contains("\"essential\":{\"installationEventTypes\":[\"firstInstallation\"]}"))
        }
    }

    /// A game with levels, a folder, a story in two languages and an asset catalogue.
    @Test func migrateTakesTheTagsOfAnXcodeProject() async throws {
        try await withTree { scratch, larder in
            let project = FilePath(#filePath).removingLastComponent().pushing("../../Fixtures/XcodeProjects/Caves")
            let copied = try ChildProcess.run(
                executable: "cp", arguments: ["-R", project.lexicallyNormalized().string, scratch("Caves").string])
            try #require(copied.exitCode == 0, "\(copied.errorText)")
            let moved = await larder(
                "migrate", "--xcode", "Caves/Caves.xcodeproj", "-o", "Moved", "--write-tags", "Tags/Tags.json")
            #expect(moved.code == .notFound, "there is no folder for the tags: \(moved.errors)")
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("Moved")))
            _ = try scratch.makeDirectory("Tags")
            let again = await larder(
                "migrate", "--xcode", "Caves/Caves.xcodeproj", "-o", "Packs", "--write-tags", "Tags/Tags.json")
            #expect(again.code == .success, "\(again.errors)")
            #expect(
                try scratch.tree("Packs") == [
                    "Bonus--ber.json", "boss.hard.json", "boss.json", "easy.hard.json", "easy.json", "hard.json",
                ])
            #expect(again.errors.contains("no resource of Caves has the tag \"retired\""), "\(again.errors)")
            let uses = again.output.split(separator: "\n").filter { $0.hasPrefix("Caves/") }
            #expect(
                uses.map { $0.split(separator: ":").prefix(3).joined(separator: ":") } == [
                    "Caves/Caves/GameController.swift:7: NSBundleResourceRequest",
                    "Caves/Caves/GameController.swift:10: NSBundleResourceRequest",
                    "Caves/Caves/GameController.swift:11: NSBundleResourceRequestLoadingPriorityUrgent",
                    "Caves/Caves/GameController.swift:12: beginAccessingResources",
                    "Caves/Caves/GameController.swift:13: url(forResource",
                    "Caves/Caves/GameController.swift:14: UIImage(named",
                    "Caves/Caves/Loader.m:6: NSBundleResourceRequest",
                    "Caves/Caves/Loader.m:7: conditionallyBeginAccessingResources",
                    "Caves/Caves/Loader.m:8: pathForResource", "Caves/Caves/Loader.m:9: endAccessingResources",
                ])
            // The manifests pack, and the tags build the same packs.
            let hard = await PackShell(scratch: scratch)("evaluate", "Packs/hard.json", "--json")
            #expect(hard.code == .success, "\(hard.errors)")
            #expect(hard.output.contains("\"destination\":\"de.lproj/Story.txt\""), "\(hard.output)")
            let built = await larder("build", "--tags", "Tags/Tags.json", "-o", "Built")
            #expect(built.code == .success, "\(built.errors)")
            #expect(built.output.contains("easy        initial install"), "\(built.output)")
            #expect(try scratch.tree("Built/packs").filter { $0.hasSuffix(".aar") }.count == 6)
            #expect(await larder("migrate", "--xcode", "Nowhere.xcodeproj", "-o", "More").code == .notFound)
        }
    }

    @Test func migrateTakesTheTagsOfABuiltApp() async throws {
        try await withTree { scratch, larder in
            var app = AppFixture()
            app.hasExtension = false
            _ = try app.write(in: scratch.path)
            let built = await larder(
                "build", "--tags", "Tags.json", "--app", "Game.app", "-o", "Built", "--url-prefix", "https://a/")
            #expect(built.code == .success, "\(built.errors)")
            let moved = await larder("migrate", "R", "--built", "Game.app", "-o", "Moved", "--keep-ids")
            #expect(moved.code == .success, "\(moved.errors)")
            let names = try scratch.tree("Moved")
            #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("org.example.game.asset-pack-") })
            let texts = try names.map { try scratch.text("Moved/\($0)") }
            #expect(texts.contains { $0.contains("essential") } && texts.contains { $0.contains("prefetch") })
            #expect(await larder("migrate", "R", "-o", "More").code == .usage)
        }
    }

    @Test func whatIsMissingIsNamed() async throws {
        try await withTree { scratch, larder in
            #expect(await larder("check", "--tags", "No.json").code == .notFound)
            #expect(await larder("check", "--tags", "Tags.json", "--limits", "ios9").code == .usage)
            try scratch.write(#"{"tags": {"a": [{"file": "a"}]}}"#, to: "Bare.json")
            let folder = await larder("build", "--tags", "Bare.json", "-o", "Built")
            #expect(folder.code == .usage && folder.errors.contains("sourceRoot"))
            let id = await larder("build", "R", "--tags", "Bare.json", "-o", "Built")
            #expect(id.code == .usage && id.errors.contains("--bundle-id"))
            try scratch.write(#"{"tags": {"a": [{"file": "Cave/l.lvl"}]}}"#, to: "Bare.json")
            let file = await larder("check", "R", "--tags", "Bare.json")
            #expect(file.code == .badInput)
            #expect(file.errors.contains("did you mean \"Cave/1.lvl\"?"), "\(file.errors)")
        }
    }
}

extension Scratch {
    fileprivate func text(_ name: String) throws -> String {
        String(decoding: try File.read(path.appending(name)), as: UTF8.self)
    }
}
