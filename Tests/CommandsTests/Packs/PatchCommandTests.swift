// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Glibc
import Kit
import PackUpdates
import System
import TestSupport
import Testing

@testable import Commands

struct PatchCommandTests {
    @Test func makesAPatchAndOverwritesNothing() async throws {
        try await PackShell.withVersions { scratch, shell in
            let made = await shell("patch", "old.aar", "new.aar", "-o", "New.from-3.patch")
            #expect(made.code == .success)
            #expect(made.output.hasPrefix("New.from-3.patch: "))
            #expect(made.output.contains(" for 1 changed content of 12 bytes; the archive has "))
            let bytes = try File.read(scratch("New.from-3.patch"))
            #expect(bytes.starts(with: Array("LRDRPTCH".utf8)))
            let again = await shell("patch", "old.aar", "new.aar", "-o", "New.from-3.patch")
            #expect(again.code == .failure)
            #expect(again.errors.contains("\"New.from-3.patch\" exists already"))
            #expect(try scratch.tree("").allSatisfy { !$0.hasPrefix(".larder") })
        }
    }

    @Test func refusesTwoDifferentPacks() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "old.aar").code == .success)
            try scratch.write(PackShell.manifest.replacing("Tutorial", with: "Levels"), to: "M.json")
            #expect(await shell("package", "M.json", "-o", "new.aar").code == .success)
            let made = await shell("patch", "old.aar", "new.aar", "-o", "X.patch")
            #expect(made.code == .badInput)
            #expect(made.errors.contains("old.aar is the pack Tutorial, and new.aar is Levels: devices update "))
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("X.patch")))
            let compared = await shell("diff", "old.aar", "new.aar")
            #expect(compared.code == .badInput && compared.errors.contains("old.aar is the pack Tutorial"))
        }
    }

    /// One goes into a file, whose name is not that of the list beside it.
    @Test(arguments: ["-", "X.list"]) func refusesNamesThatAreNoPatch(_ name: String) async throws {
        try await PackShell.withVersions { scratch, shell in
            let made = await shell("patch", "old.aar", "new.aar", "-o", name)
            #expect(made.code == .usage && made.errors.contains("not \"\(name)\""), "\(made.errors)")
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch(name)))
        }
    }

    @Test func saysWhyThereIsNoListAndThatNothingChanged() async throws {
        try await PackShell.withVersions { scratch, shell in
            let made = await shell("patch", "old.aar", "new.aar", "-o", "X.patch")
            #expect(made.output.contains("no list, since the index is hardly larger"), "\(made.output)")
            #expect(!made.errors.contains("same archive"))
            let same = await shell("patch", "new.aar", "new.aar", "-o", "Y.patch")
            #expect(same.code == .success && same.errors.contains("are the same archive"), "\(same.errors)")
        }
    }

    /// Nobody writes to the pipe: opening it would wait for good.
    @Test(.timeLimit(.minutes(1))) func refusesPipes() async throws {
        try await PackShell.withVersions { scratch, shell in
            #expect(mkfifo(scratch("pipe.aar").string, 0o600) == 0)
            for command in [
                ["diff", "old.aar", "pipe.aar"], ["patch", "pipe.aar", "new.aar", "-o", "X.patch"],
            ] {
                let refused = await shell(command)
                #expect(refused.code != .success && refused.errors.contains("is a pipe or a device"), "\(refused)")
            }
        }
    }

    @Test func refusesAnIndexOfAnotherArchive() async throws {
        try await PackShell.withVersions(film: "another film that is longer") { scratch, shell in
            try scratch.write(try File.read(scratch("new.aar.index")), to: "old.aar.index")
            let made = await shell("patch", "old.aar", "new.aar", "-o", "X.patch")
            #expect(made.code != .success)
            #expect(made.errors.contains("old.aar.index"))
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("X.patch")))
        }
    }
}

struct PatchesFromTests {
    /// Three versions of a pack, published one after the other; the archives are kept in `published`.
    @Test func updateMakesPatchesFromTheLastVersions() async throws {
        try await PackShell.withTree { scratch, shell in
            let base = ["--linux", "--download-base-url", "https://h"]
            try scratch.makeDirectory("published")
            for version in 0..<3 {
                try scratch.write("film \(version)", to: "Intro.m4v")
                #expect(await shell("package", "M.json", "-o", "published/v\(version).aar").code == .success)
            }
            #expect(
                await shell(["download-manifest", "create", "published/v0.aar", "-o", "D.json"] + base).code == .success
            )
            for version in 1..<3 {
                let result = await shell(
                    [
                        "download-manifest", "update", "D.json", "--asset-pack-paths", "published/v\(version).aar",
                        "--patches-from", "2",
                    ] + base)
                #expect(result.code == .success)
                #expect(result.errors.isEmpty)
                let patch = "publish published/v\(version).from-0.patch as https://h/Tutorial.from-0.patch\n"
                #expect(result.output.contains(patch))
            }
            #expect(await shell("verify", "published/v2.aar", "--manifest", "D.json").code == .success)
            let info = try #require(try DownloadManifest.read(scratch("D.json"))["Tutorial"]?.larder)
            #expect(info.patches.map(\.from).sorted() == [0, 1])
            for patch in info.patches {
                let bytes = try File.read(scratch("published/v2.from-\(patch.from).patch"))
                #expect(patch.file.sha256 == SHA256.hash(bytes).hex)
                #expect(patch.file.size == Int64(bytes.count))
                #expect(patch.file.url == "https://h/Tutorial.from-\(patch.from).patch")
                #expect(
                    patch.base == (try PackIndex.read(scratch("published/v\(patch.from).aar.index"))).archive.digest.hex
                )
            }
            try scratch.write("another patch", to: "published/v2.from-0.patch")
            let verdict = await shell("verify", "published/v2.aar", "--manifest", "D.json")
            #expect(verdict.code == .badInput)
            #expect(verdict.errors.contains("v2.from-0.patch is not the patch that the download manifest lists"))
        }
    }

    /// Where the index is large, a list lies beside the patch and is listed with it.
    @Test func aListIsMadeBesideThePatchWhereItPays() async throws {
        var old: [String: [UInt8]] = [:]
        for number in 0..<200 { old["f\(number)"] = Array("content \(number)".utf8) }
        var new = old
        new["f7"] = [7]
        try await PackShell.withPacks(of: old, and: new) { scratch, shell in
            let base = ["--linux", "--download-base-url", "https://h"]
            #expect(await shell(["download-manifest", "create", "old.aar", "-o", "D.json"] + base).code == .success)
            let update =
                ["download-manifest", "update", "D.json", "--asset-pack-paths", "new.aar", "--patches-from", "1"] + base
            let result = await shell(update)
            #expect(result.code == .success && result.errors.isEmpty, "\(result)")
            #expect(result.output.contains("publish new.from-0.list as https://h/"), "\(result.output)")
            let pack = try #require(try DownloadManifest.read(scratch("D.json")).assetPacks.first)
            let list = try #require(pack.larder?.patches.first?.list)
            let bytes = try File.read(scratch("new.from-0.list"))
            #expect(list.size == Int64(bytes.count) && list.sha256 == SHA256.hash(bytes).hex)
            #expect(list.url == pack.url + ".from-0.list")
            #expect(list.size < (pack.larder?.index?.size ?? 0) / 10)
            #expect(await shell("verify", "new.aar", "--manifest", "D.json").code == .success)

            // Made once more it is the same, and nothing is written over.
            let path = scratch("new.from-0.list")
            let before = try FileDescriptor.currentDirectory.status(at: path)
            let made = await shell("patch", "old.aar", "new.aar", "-o", "other.patch", "--json")
            #expect(made.code == .success && made.output.contains("\"listSize\":\(bytes.count)"), "\(made)")
            #expect(try File.read(scratch("other.list")) == bytes)
            let again = await shell("patch", "old.aar", "new.aar", "-o", "new.from-0.patch")
            #expect(again.code == .failure)
            #expect(try FileDescriptor.currentDirectory.status(at: path).isSameFile(as: before))

            // One that was cut short is told, and not listed.
            try scratch.write(Array(bytes.dropLast(bytes.count / 3)), to: "new.from-0.list")
            let cut = await shell(update)
            #expect(cut.code == .failure, "\(cut)")
            #expect(cut.errors.contains("\"new.from-0.list\" stands where the list goes"), "\(cut.errors)")

            try scratch.write("another list", to: "new.from-0.list")
            let verdict = await shell("verify", "new.aar", "--manifest", "D.json")
            #expect(verdict.code == .badInput)
            #expect(verdict.errors.contains("new.from-0.list is not the list that the download manifest lists"))
            let refused = await shell(update)
            #expect(refused.code == .failure)
            #expect(refused.errors.contains("\"new.from-0.list\" stands where the list goes"), "\(refused.errors)")
        }
    }

    @Test func aPatchOfAnotherBuildThatStandsThereIsTold() async throws {
        try await PackShell.withVersions { scratch, shell in
            let base = ["--linux", "--download-base-url", "https://h"]
            #expect(await shell(["download-manifest", "create", "old.aar", "-o", "D.json"] + base).code == .success)
            #expect(await shell("patch", "new.aar", "old.aar", "-o", "new.from-0.patch").code == .success)
            let update =
                ["download-manifest", "update", "D.json", "--asset-pack-paths", "new.aar", "--patches-from", "1"] + base
            let result = await shell(update)
            #expect(result.code == .failure)
            #expect(
                result.errors.contains(
                    "\"new.from-0.patch\" stands where the patch from version 0 of Tutorial goes, and is none from"))
            #expect(result.errors.contains("Remove it, and it is made anew."))
            try FileDescriptor.currentDirectory.remove(at: scratch("new.from-0.patch"))
            #expect(await shell(update).code == .success)
        }
    }

    @Test func aVersionThatIsNotHigherIsTold() async throws {
        try await PackShell.withVersions { scratch, shell in
            let base = ["--linux", "--download-base-url", "https://h"]
            #expect(
                await shell(
                    ["download-manifest", "create", "old.aar", "--asset-pack-versions", "3", "-o", "D.json"] + base
                ).code == .success)
            func create(_ archive: String, _ version: String) async -> PackShell.Outcome {
                await shell(
                    [
                        "download-manifest", "create", archive, "--asset-pack-versions", version, "--old-manifest",
                        "D.json",
                    ]
                        + base)
            }
            for version in ["2", "3"] {
                let low = await create("new.aar", version)
                #expect(low.code == .success)
                #expect(
                    low.errors.contains(
                        "warning: Tutorial has version \(version), and D.json has version 3 of another archive already")
                )
            }
            #expect(await create("new.aar", "4").errors.isEmpty)
            #expect(await create("old.aar", "3").errors.isEmpty)
        }
    }

    /// Of several archives that are a version by their indexes, one that is damaged is passed over, and told.
    @Test func aDamagedCopyOfAnOldVersionIsPassedOver() async throws {
        try await PackShell.withTree { scratch, shell in
            let base = ["--linux", "--download-base-url", "https://h"]
            try scratch.makeDirectory("a")
            try scratch.makeDirectory("b")
            #expect(await shell("package", "M.json", "-o", "a/A.aar").code == .success)
            #expect(await shell(["download-manifest", "create", "a/A.aar", "-o", "D.json"] + base).code == .success)
            let sound = try File.read(scratch("a/A.aar"))
            var damaged = sound
            damaged[damaged.count / 2] ^= 1
            for name in ["a", "b"] {
                try scratch.write(damaged, to: "\(name)/A.aar")
                try scratch.write(try File.read(scratch("a/A.aar.index")), to: "\(name)/A.aar.index")
            }
            try scratch.write(String(repeating: "map ", count: 5000) + "end", to: "Levels/1/map")
            #expect(await shell("package", "M.json", "-o", "A.aar").code == .success)
            let update =
                ["download-manifest", "update", "D.json", "--asset-pack-paths", "A.aar", "--patches-from", "1"] + base
            let none = await shell(update + ["-o", "E.json"])
            #expect(none.code == .success && none.errors.contains("warning: no patch from version 0"), "\(none)")
            for name in ["a", "b"] {
                #expect(
                    none.errors.contains("warning: \(name)/A.aar is not the archive of the index beside it"), "\(none)")
            }
            for name in ["a", "b"] {
                let bad = name == "a" ? "b" : "a"
                try scratch.write(sound, to: "\(name)/A.aar")
                try scratch.write(damaged, to: "\(bad)/A.aar")
                let one = await shell(update + ["-o", "\(name).json"])
                #expect(one.code == .success && !one.errors.contains("no patch"), "\(one)")
                let patches = try DownloadManifest.read(scratch("\(name).json")).assetPacks[0].larder?.patches
                #expect(patches?.map(\.from) == [0])
                try FileDescriptor.currentDirectory.remove(at: scratch("A.from-0.patch"))
            }
        }
    }

    @Test func aVersionWithoutItsArchiveIsTold() async throws {
        try await PackShell.withTree { scratch, shell in
            let base = ["--linux", "--download-base-url", "https://h"]
            #expect(await shell("package", "M.json", "-o", "A.aar").code == .success)
            #expect(await shell(["download-manifest", "create", "A.aar", "-o", "D.json"] + base).code == .success)
            try scratch.write("another film", to: "Intro.m4v")
            try scratch.makeDirectory("new")
            #expect(await shell("package", "M.json", "-o", "new/A.aar").code == .success)
            try FileDescriptor.currentDirectory.remove(at: scratch("A.aar"))
            let update = ["download-manifest", "update", "D.json", "--asset-pack-paths", "new/A.aar"] + base
            let result = await shell(update + ["--patches-from", "1", "-o", "E.json"])
            #expect(result.code == .success)
            #expect(result.errors.contains("warning: no patch from version 0 of Tutorial"))
            #expect(await shell(update + ["--patches-from", "none"]).code == .usage)
            #expect(await shell(update + ["--old-archives", "."]).code == .usage)
            let nowhere = await shell(update + ["--patches-from", "1", "--old-archives", "nowhere"])
            #expect(nowhere.code == .notFound && nowhere.errors.contains("no folder \"nowhere\""), "\(nowhere)")
        }
    }
}
