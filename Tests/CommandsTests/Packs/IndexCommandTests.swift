// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import PackUpdates
import System
import TestSupport
import Testing

@testable import Commands

struct IndexCommandTests {
    @Test func packagingWritesTheIndexBesideTheArchive() async throws {
        try await PackShell.withTree { scratch, shell in
            let result = await shell("package", "M.json", "-o", "X.aar")
            #expect(result.code == .success)
            #expect(result.output.contains("\nX.aar.index: "))
            let index = try PackIndex.read(scratch("X.aar.index"))
            #expect(
                index.entries.map(\.path) == ["manifest.json", "Contents/Levels/1/map", "Contents/Videos/Start.m4v"])
            #expect(await shell("package", "M.json", "-o", "Y.aar", "--no-index").code == .success)
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("Y.aar.index")))
            let made = await shell("index", "Y.aar")
            #expect(made.code == .success)
            #expect(try File.read(scratch("Y.aar.index")) == File.read(scratch("X.aar.index")))
            let again = await shell("index", "Y.aar")
            #expect(again.code == .failure)
            #expect(again.errors.contains("\"Y.aar.index\" exists already and is not overwritten"))
        }
    }

    @Test func anIndexInTheWayIsNotOverwritten() async throws {
        try await PackShell.withTree { scratch, shell in
            try scratch.write("mine", to: "X.aar.index")
            let result = await shell("package", "M.json", "-o", "X.aar")
            #expect(result.code == .failure)
            #expect(result.errors.contains("\"X.aar.index\" exists already"))
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("X.aar")))
        }
    }

    @Test func archivesWithoutBlocksArePackedWithAWarning() async throws {
        try await PackShell.withTree { scratch, shell in
            let result = await shell("package", "M.json", "-o", "X.aar", "--compression", "none")
            #expect(result.code == .success)
            #expect(result.errors.contains("warning: The archive can have no index"))
            let made = await shell("index", "X.aar")
            #expect(made.code == .badInput)
            #expect(made.errors.contains("blocks"))
        }
    }

    @Test func anArchiveThatIsNoPackIsCalledThat() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("archive", "Levels", "-o", "L.aar").code == .success)
            let made = await shell("index", "L.aar")
            #expect(made.code == .badInput)
            #expect(made.errors.contains("it is no pack, since it holds no \"manifest.json\"."))
            #expect(!made.errors.contains("damaged"))
        }
    }

    @Test func tellsAScriptWhatAManifestLists() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "X.aar", "--no-index").code == .success)
            let told = try JSONParser.parse(await shell("index", "X.aar", "--json").output).value
            let bytes = try File.read(scratch("X.aar.index"))
            let front = try #require(PackIndex.front(of: bytes))
            #expect(told["size"] == .integer(Int64(bytes.count)))
            #expect(told["sha256"] == .string(SHA256.hash(bytes).hex))
            #expect(told["front"] == ["size": .integer(front.size), "sha256": .string(front.sha256)])
        }
    }

    @Test func verifyHoldsAnArchiveAgainstItsIndex() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "X.aar").code == .success)
            let sound = await shell("verify", "X.aar")
            #expect(sound.code == .success && sound.output.hasSuffix("; its index fits\n"))
            let json = try JSONParser.parse(await shell("verify", "X.aar", "--json").output).value
            #expect(json["hasIndex"] == true)
            try scratch.write("another film", to: "Intro.m4v")
            #expect(await shell("package", "M.json", "-o", "Y.aar").code == .success)
            try scratch.write(try File.read(scratch("Y.aar.index")), to: "X.aar.index")
            let other = await shell("verify", "X.aar")
            #expect(other.code == .badInput)
            #expect(other.errors.contains("X.aar.index is not the index of the archive beside it"))
            let bytes = try File.read(scratch("Y.aar.index"))
            try scratch.write(Array(bytes.dropLast(bytes.count / 2)), to: "X.aar.index")
            let damaged = await shell("verify", "X.aar")
            #expect(damaged.code == .badInput)
            #expect(damaged.errors.contains("X.aar.index") && damaged.errors.contains("remove it and make it again"))
        }
    }

    @Test func verifyHoldsTheIndexAgainstTheManifest() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "X.aar").code == .success)
            let create = ["download-manifest", "create", "X.aar", "--linux", "--download-base-url", "https://h"]
            #expect(await shell(create + ["-o", "D.json"]).code == .success)
            #expect(await shell("verify", "X.aar", "--manifest", "D.json").code == .success)
            var manifest = try DownloadManifest.read(scratch("D.json"))
            manifest.assetPacks[0].larder?.index?.sha256 = String(repeating: "0a", count: 32)
            try scratch.write(manifest.serialized, to: "D.json")
            let other = await shell("verify", "X.aar", "--manifest", "D.json")
            #expect(other.code == .badInput)
            #expect(other.errors.contains("the index beside it is not the one that the download manifest lists"))
        }
    }

    /// A new index of a damaged archive would hide the damage: it is told which of the two is another.
    @Test func verifyTellsADamagedArchiveFromAWrongIndex() async throws {
        try await PackShell.withTree { scratch, shell in
            // Blocks that do not shrink are stored, so that a changed byte is no error of the compression.
            var random = SeededGenerator.forTest()
            let film = random.bytes(200_000)
            try scratch.write(film, to: "Intro.m4v")
            #expect(await shell("package", "M.json", "-o", "X.aar").code == .success)
            let create = ["download-manifest", "create", "X.aar", "--linux", "--download-base-url", "https://h"]
            #expect(await shell(create + ["-o", "D.json"]).code == .success)
            let sound = try File.read(scratch("X.aar"))
            var damaged = sound
            damaged[damaged.count / 2] ^= 1
            try scratch.write(damaged, to: "X.aar")
            let alone = await shell("verify", "X.aar")
            #expect(alone.code == .badInput && alone.errors.contains("If the archive was damaged"), "\(alone)")
            let known = await shell("verify", "X.aar", "--manifest", "D.json")
            #expect(known.code == .badInput && known.errors.contains("the archive's digest is"), "\(known)")
            #expect(known.errors.contains("restore it") && !known.errors.contains("ba-package index"), "\(known)")
            // The index of another archive beside the right one.
            try scratch.write(film.reversed(), to: "Intro.m4v")
            #expect(await shell("package", "M.json", "-o", "Y.aar").code == .success)
            try scratch.write(sound, to: "X.aar")
            try scratch.write(try File.read(scratch("Y.aar.index")), to: "X.aar.index")
            let wrong = await shell("verify", "X.aar", "--manifest", "D.json")
            #expect(wrong.code == .badInput && !wrong.errors.contains("the archive's digest is"), "\(wrong)")
            #expect(wrong.errors.contains("if it is right, remove its index and make it again"), "\(wrong)")
        }
    }

    @Test func verifyHoldsTheFrontAgainstTheManifest() async throws {
        try await PackShell.withTree { scratch, shell in
            #expect(await shell("package", "M.json", "-o", "X.aar").code == .success)
            let create = ["download-manifest", "create", "X.aar", "--linux", "--download-base-url", "https://h"]
            #expect(await shell(create + ["-o", "D.json"]).code == .success)
            let sound = try DownloadManifest.read(scratch("D.json"))
            let listed = try #require(sound.assetPacks[0].larder?.index)
            #expect(listed.front == PackIndex.front(of: try File.read(scratch("X.aar.index"))))
            var manifest = sound
            // A manifest need not name it.
            manifest.assetPacks[0].larder?.index?.front = nil
            try scratch.write(manifest.serialized, to: "D.json")
            #expect(await shell("verify", "X.aar", "--manifest", "D.json").code == .success)
            manifest.assetPacks[0].larder?.index?.size += 1
            try scratch.write(manifest.serialized, to: "D.json")
            let longer = await shell("verify", "X.aar", "--manifest", "D.json")
            #expect(longer.code == .badInput && longer.errors.contains("lists for the index"), "\(longer.errors)")
            manifest = sound
            for (size, sha256) in [(20, listed.front?.sha256 ?? listed.sha256), (listed.size, listed.sha256)] {
                manifest.assetPacks[0].larder?.index?.front = .init(size: size, sha256: sha256)
                try scratch.write(manifest.serialized, to: "D.json")
                let other = await shell("verify", "X.aar", "--manifest", "D.json")
                #expect(other.code == .badInput)
                #expect(
                    other.errors.contains(
                        "the front that the download manifest lists is not that of the index beside it"))
            }
        }
    }
}
