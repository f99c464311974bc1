// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import Commands

struct DiffCommandTests {
    /// Two versions: a large file with another byte, and a gzip file with another time.
    private func withVersions(
        normalized: Bool = false, _ body: (Scratch, PackShell) async throws -> Void
    ) async throws {
        var generator = SeededGenerator(seed: 5)
        let large = generator.bytes(2_000_000)
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 1, 1, 1, 1, 0, 3] + generator.bytes(400)
        let same = generator.bytes(5000)
        var changed = large
        changed[1_000_000] ^= 1
        try await PackShell.withPacks(
            of: ["same": same, "large": large, "text.gz": gzip],
            and: ["same": same, "large": changed, "text.gz": Array(gzip[..<4] + [2, 2, 2, 2] + gzip[8...])],
            options: ["--block-size", "64k"] + (normalized ? ["--normalize"] : []), body)
    }

    @Test func theCostIsToldByMethodAndFile() async throws {
        try await withVersions { scratch, shell in
            let result = await shell("diff", "old.aar", "new.aar")
            #expect(result.code == .success && result.errors.isEmpty)
            let lines = result.output.split(separator: "\n")
            #expect(lines[0] == "patch   none given; --make-patch shows what one would be")
            #expect(lines[1].hasPrefix("blocks  ") && lines[2].hasPrefix("whole   2.0 MB"))
            #expect(lines[3] == "A device would take: blocks.")
            #expect(lines[4] == "1 file unchanged, 2 changed, 0 added, 0 moved, 0 removed")
            #expect(result.output.contains("Contents/d/large (changed, 2.0 MB)"))
            #expect(result.output.contains("Contents/d/text.gz (changed, 410 bytes, only times differ)"))
            #expect(result.output.contains("1 file of these differs only in embedded times"))
        }
    }

    @Test func scriptsGetNumbers() async throws {
        try await withVersions { scratch, shell in
            #expect(await shell("patch", "old.aar", "new.aar", "-o", "p").code == .success)
            let result = await shell("diff", "old.aar", "new.aar", "--patch", "p", "--json")
            let json = try JSONParser.parse(result.output).value
            #expect(json["best"] == "patch")
            // A device fetches the list first, in place of the index.
            let list = Int64(try File.read(scratch("p.list")).count)
            let index = Int64(try File.read(scratch("new.aar.index")).count)
            let size = Int64(try File.read(scratch("p")).count)
            #expect(json["indexBytes"] == .integer(index))
            #expect(json["methods"]?["patch"]?["bytesToFetch"] == .integer(size + list))
            #expect(json["methods"]?["patch"]?["requests"] == 2)
            let archive = Int64(try File.read(scratch("new.aar")).count)
            #expect(json["methods"]?["whole"]?["bytesToFetch"] == .integer(archive))
            #expect(json["methods"]?["whole"]?["requests"] == 1)
            #expect(json["onlyStampsDiffer"] == 1)
            let files = try #require(json["files"]?.arrayValue)
            #expect(Set(files.map { $0["path"] }) == ["Contents/d/large", "Contents/d/text.gz"])
            let bytes = files.compactMap { $0["patchBytes"]?.integerValue }
            #expect(bytes.count == 2 && bytes[0] >= bytes[1] && bytes[1] > 0)
            let made = await shell("diff", "old.aar", "new.aar", "--make-patch")
            #expect(made.output.contains("A device would take: the patch.\n"))
            #expect(made.output.contains("What costs most, by patch:\n"))
        }
    }

    @Test func whatMakesNoSenseIsRefused() async throws {
        try await withVersions { scratch, shell in
            #expect(await shell("diff", "old.aar", "new.aar", "--patch", "none").code == .notFound)
            #expect(await shell("diff", "old.aar", "missing.aar").code == .notFound)
            #expect(await shell("diff", "old.aar", "new.aar", "--patch", "p", "--make-patch").code == .usage)
            #expect(await shell("patch", "new.aar", "old.aar", "-o", "back").code == .success)
            let back = await shell("diff", "old.aar", "new.aar", "--patch", "back")
            #expect(back.code == .badInput)
            #expect(back.errors.contains("back: This is the patch between two other versions."))
            try scratch.write(try File.read(scratch("back")).dropLast(), to: "cut")
            let cut = await shell("diff", "new.aar", "old.aar", "--patch", "cut")
            #expect(cut.errors.contains("cut: The patch is damaged: it is not as long as it says"))
        }
    }

    @Test func indexesAreUsedWhenTheyFit() async throws {
        try await withVersions { scratch, shell in
            let result = await shell("diff", "old.aar", "new.aar", "--json")
            try scratch.write(try File.read(scratch("new.aar.index")), to: "old.aar.index")
            let stale = await shell("diff", "old.aar", "new.aar", "--json")
            #expect(stale.output == result.output)
            #expect(stale.errors.contains("warning: old.aar.index is not the index of the archive beside it"))
            for name in ["old", "new"] { try FileDescriptor.currentDirectory.remove(at: scratch("\(name).aar.index")) }
            let without = await shell("diff", "old.aar", "new.aar", "--json")
            #expect(without.output == result.output && without.errors.isEmpty)
            let same = await shell("diff", "old.aar", "old.aar")
            #expect(same.output.contains("A device would fetch nothing: the two are the same archive.\n"))
        }
    }

    @Test func normalizedPacksDoNotDifferInTimes() async throws {
        try await withVersions(normalized: true) { _, shell in
            let result = await shell("diff", "old.aar", "new.aar")
            #expect(result.output.contains("\n2 files unchanged, 1 changed, "))
            #expect(!result.output.contains("only times differ"))
        }
    }

    @Test func blocksFarApartAreOneRequest() async throws {
        var generator = SeededGenerator(seed: 6)
        let large = generator.bytes(4_000_000)
        var changed = large
        for place in [500_000, 1_500_000, 2_500_000, 3_500_000] { changed[place] ^= 1 }
        try await PackShell.withPacks(
            of: ["large": large], and: ["large": changed], options: ["--block-size", "64k"]
        ) { _, shell in
            let json = try JSONParser.parse(await shell("diff", "old.aar", "new.aar", "--json").output).value
            #expect(json["best"] == "blocks" && json["methods"]?["blocks"]?["requests"] == 2)
        }
    }

    @Test func linksAndModesAreCounted() async throws {
        try await PackShell.withTree { scratch, shell in
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "1/map", at: scratch("Levels/way"))
            #expect(await shell("package", "M.json", "-o", "old.aar").code == .success)
            try FileDescriptor.currentDirectory.remove(at: scratch("Levels/way"))
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "1/map2", at: scratch("Levels/way"))
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "1/map", at: scratch("Levels/other"))
            try scratch.write("other", to: "Levels/1/map2")
            try FileDescriptor.currentDirectory.setPermissions(
                .ownerReadWriteExecute, at: scratch("Levels/1/map"))
            let manifest = PackShell.manifest.replacing("\"Linux\"", with: "\"Linux\", \"macOS\"")
            try scratch.write(manifest, to: "M.json")
            #expect(await shell("package", "M.json", "-o", "new.aar").code == .success)
            let result = await shell("diff", "old.aar", "new.aar")
            #expect(result.output.contains("2 files unchanged, 0 changed, 1 added, 0 moved, 0 removed\n"))
            #expect(result.output.contains("\nlinks: 1 changed, 1 added, 0 removed\n"))
            #expect(result.output.contains("\nexecutable in one of the two: 1 file; on devices no file of a pack is\n"))
            #expect(result.output.contains("\nthe pack's manifest changed; devices do not fetch it\n"))
            let json = try JSONParser.parse(await shell("diff", "new.aar", "old.aar", "--json").output).value
            #expect(json["links"] == ["added": 0, "changed": 1, "removed": 1])
            #expect(json["executableChanged"] == 1 && json["manifestChanged"] == true)
            #expect(json["emptyFolders"] == ["added": 0, "removed": 0])
        }
    }

    @Test func anUpdateOfLinksAloneTakesTheIndex() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "old.aar").code == .success)
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "1/map", at: scratch("Levels/way"))
            #expect(await shell("package", "M.json", "-o", "new.aar").code == .success)
            let result = await shell("diff", "old.aar", "new.aar")
            #expect(result.output.contains("A device would fetch only the index: it has every file.\n"))
            #expect(result.output.contains(" in 1 request, 0 bytes written\nwhole "))
        }
    }

    @Test func aPatchOfOtherVersionsIsNotCalledDamaged() async throws {
        var generator = SeededGenerator(seed: 7)
        let many = Dictionary(uniqueKeysWithValues: (0..<40).map { ("f\($0)", generator.bytes(300)) })
        try await PackShell.withPacks(of: ["a": [1]], and: many) { scratch, shell in
            #expect(await shell("patch", "old.aar", "new.aar", "-o", "p").code == .success)
            // Its numbers are beyond what this index has.
            let result = await shell("diff", "old.aar", "old.aar", "--patch", "p")
            #expect(result.code == .badInput)
            #expect(result.errors.contains("p: This is the patch between two other versions."))
            #expect(!result.errors.contains("damaged"))
        }
    }

    @Test func whatCanHaveNoIndexIsShownWhole() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "new.aar").code == .success)
            #expect(await shell("package", "M.json", "--compression", "none", "-o", "plain.aar").code == .success)
            let result = await shell("diff", "new.aar", "plain.aar")
            #expect(result.code == .success)
            #expect(result.output.contains("whole   ") && result.output.contains(" in 1 request, 20.0 kB written\n"))
            #expect(
                result.output.contains("plain.aar: The archive can have no index, so that devices fetch it whole: "))
            #expect(result.output.hasSuffix("A device would take: the whole archive.\n"))
            let json = try JSONParser.parse(await shell("diff", "plain.aar", "new.aar", "--json").output).value
            let size = Int64(try File.read(scratch("new.aar")).count)
            #expect(json["best"] == "whole" && json["isMost"] == true)
            #expect(json["methods"]?["whole"]?["bytesToFetch"] == .integer(size))
        }
    }
}
