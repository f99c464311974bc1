// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

@testable import Commands

struct ArchiveCommandTests {
    private func withPack(_ body: (Scratch, PackShell) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            #expect(await shell("M.json", "-o", "X.aar", "-q").code == .success)
            try await body(scratch, shell)
        }
    }

    @Test func listShowsFieldsAsAppleDoes() async throws {
        try await withPack { _, shell in
            let lines = await shell("list", "-v", "X.aar").output.split(separator: "\n")
            #expect(lines.last == "F PAT=Contents/Videos/Start.m4v MOD=00644 DAT[4]")
            #expect(lines[1] == "D PAT=Contents MOD=00755")
            let json = await shell("list", "--json", "X.aar").output.split(separator: "\n")
            #expect(json.count == 7)
            #expect(
                json.last == "{\"mode\":\"0644\",\"path\":\"Contents/Videos/Start.m4v\",\"size\":4,\"type\":\"file\"}")
        }
    }

    @Test func everyFieldOfAnEntry() {
        var entry = EntryHeader(type: .symbolicLink, path: "a/l\u{1B}[2J")
        entry.linkTarget = "x"
        entry.userID = 501
        entry.groupID = 20
        entry.mode = 0o755
        entry.flags = 0x8000
        entry.creationTime = Timestamp(seconds: 1_704_164_645)
        entry.modificationTime = Timestamp(seconds: 1_704_164_645, nanoseconds: 42)
        entry.blobs = [.init(key: .extendedAttributes, size: 62)]
        entry.hardLinkCluster = 1
        #expect(
            EntryLine.verbose(entry)
                == "L PAT=a/l\\u{1b}[2J LNK=x UID=501 GID=20 MOD=00755 FLG=0x00008000 CTM=1704164645.000000000 "
                + "MTM=1704164645.000000042 XAT[62] HLC=1")
    }

    @Test func archivePacksAFolderUnderItsName() async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            let here = FileDescriptor.currentDirectory
            try here.setPermissions(FilePermissions(rawValue: 0o755), at: scratch("Levels/1/map"))
            try here.makeSymbolicLink(to: "1/map", at: scratch("Levels/link"))
            let first = await shell("archive", "Levels", "-o", "A.aar")
            #expect(first.code == .success, "\(first.errors)")
            #expect(first.output.hasPrefix("A.aar: Levels, packed to "))
            let lines = await shell("list", "-v", "A.aar").output.split(separator: "\n")
            #expect(
                lines == [
                    "D PAT=Levels MOD=00755", "D PAT=Levels/1 MOD=00755",
                    "F PAT=Levels/1/draft.psd MOD=00644 DAT[5]", "F PAT=Levels/1/map MOD=00755 DAT[20000]",
                    "L PAT=Levels/link LNK=1/map MOD=00777",
                ])
            // The same again by another way of naming it, and never over something.
            #expect(await shell("archive", "Levels/1/..", "-o", "B.aar", "-q").output.isEmpty)
            let bytes = try ["A.aar", "B.aar"].map { name in
                let file = try OwnedDescriptor(scratch(name), .readOnly)
                return try file.borrowed.readAll(limit: 1 << 20)
            }
            #expect(bytes[0] == bytes[1])
            let again = await shell("archive", "Levels", "-o", "A.aar")
            #expect(again.code == .failure)
            #expect(again.errors.contains("exists already"))
            for (words, code) in [
                (["archive", "Intro.m4v", "-o", "C.aar"], ExitCode.notFound),
                (["archive", "Levels", "-o", "C.zip"], .usage),
            ] {
                #expect(await shell(words).code == code)
            }
            #expect(!here.exists(at: scratch("C.aar")))
        }
    }

    @Test func extractMakesTheFolderAndRefusesAFullOne() async throws {
        try await withPack { scratch, shell in
            let first = await shell("extract", "X.aar", "-o", "out")
            #expect(first.code == .success)
            #expect(first.output == "out: 3 files, 20.3 kB\n")
            #expect(try scratch.tree("out") == ["Contents/Levels/1/map", "Contents/Videos/Start.m4v", "manifest.json"])
            try scratch.write("mine", to: "out/extra")
            let second = await shell("extract", "X.aar", "-o", "out")
            #expect(second.code == .failure, "as for every output that is there already")
            #expect(
                second.errors
                    == "ba-package: \"out\" is not empty, and nothing is overwritten. Name another folder, or replace all "
                    + "of it with --replace.\n")
            let noFolder = await shell("extract", "X.aar", "-o", "out/extra")
            #expect(noFolder.code == .failure)
            #expect(
                noFolder.errors == "ba-package: \"out/extra\" is no folder, and is not overwritten. Name another.\n")
            let nowhere = await shell("extract", "X.aar", "-o", "no/such")
            #expect(nowhere.code == .notFound)
            #expect(
                nowhere.errors
                    == "ba-package: The folder for \"no/such\" does not exist. Make it, or name another.\n")
            #expect(try scratch.tree("out").contains("extra"))
            #expect(await shell("extract", "X.aar", "-o", "out", "--replace").code == .success)
            #expect(!(try scratch.tree("out").contains("extra")))
            #expect(await shell("extract", "X.aar", "--output-path", "new", "--replace", "-q").output.isEmpty)
        }
    }

    @Test func brokenArchivesLeaveNothing() async throws {
        try await withPack { scratch, shell in
            let bytes = try File.read(scratch("X.aar"))
            try scratch.write(bytes.dropLast(20), to: "cut.aar")
            try scratch.write("not an archive", to: "text.aar")
            try scratch.write("precious", to: "out/file")
            let before = try scratch.tree()
            for name in ["cut.aar", "text.aar"] {
                #expect(await shell("extract", name, "-o", "fresh").code == .badInput)
                #expect(await shell("extract", name, "-o", "out", "--replace").code == .badInput)
                #expect(await shell("list", name).code == .badInput)
                #expect(await shell("verify", name).code == .badInput)
            }
            #expect(await shell("extract", "none.aar", "-o", "fresh").code == .notFound)
            #expect(try scratch.tree() == before)
        }
    }

    /// The format has no end mark: an archive cut off behind its head reads as one without entries.
    @Test func anArchiveWithoutEntriesIsRemarkedUpon() async throws {
        try await withPack { scratch, shell in
            try scratch.write(try File.read(scratch("X.aar")).prefix(12), to: "head.aar")
            for words in [["extract", "head.aar", "-o", "none", "-q"], ["list", "head.aar"]] {
                let result = await shell(words)
                #expect(result.code == .success && result.output.isEmpty)
                #expect(result.errors.hasPrefix("note: head.aar is an empty archive: no entries."), "\(result.errors)")
            }
            #expect(await shell("verify", "head.aar").code == .badInput)
            #expect(await shell("extract", "X.aar", "-o", "out").errors.isEmpty)
        }
    }

    /// No file system takes it, which is the archive's fault.
    @Test func aNameThatIsTooLongIsABadArchive() async throws {
        try await withPack { scratch, shell in
            var archive: [UInt8] = []
            let name = String(repeating: "n", count: 256)
            let long = Array("Contents/\(name)".utf8)
            let fields = Array("TYP1FPATP".utf8) + [UInt8(long.count & 0xff), UInt8(long.count >> 8)] + long
            archive = Array("AA01".utf8) + [UInt8((fields.count + 6) & 0xff), UInt8((fields.count + 6) >> 8)] + fields
            try scratch.write(archive, to: "long.aar")
            for words in [["extract", "long.aar", "-o", "none"], ["verify", "long.aar"]] {
                let result = await shell(words)
                #expect(result.code == .badInput)
                #expect(result.errors.contains("256 bytes, more than 255"), "\(result.errors)")
            }
        }
    }

    @Test func verifyReportsEachPack() async throws {
        try await withPack { scratch, shell in
            try scratch.write(try File.read(scratch("X.aar")).dropLast(5), to: "bad.aar")
            let result = await shell("verify", "bad.aar", "X.aar")
            #expect(result.code == .badInput)
            #expect(result.output.hasPrefix("X.aar: sound; Tutorial, 2 files, 20.0 kB, sha256-tree-1m "))
            #expect(result.errors.hasPrefix("ba-package: bad.aar: "))
            let json = await shell("verify", "X.aar", "bad.aar", "--json").output.split(separator: "\n")
            #expect(json.count == 2)
            #expect(json[0].contains("\"sound\":true") && json[1].contains("\"sound\":false"))
        }
    }
}
