// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

/// Extraction of archives that mean well.
@Suite struct DirectoryExtractorTests {
    private let here = FileDescriptor.currentDirectory

    @Test func setsModesAndTimes() throws {
        try Scratch.with { scratch in
            var folder = RawEntry("D", "d")
            folder.unsigned("MOD", 0o555, 2)
            folder.raw("MTM", "S", little(1000, 8))
            var file = RawEntry("F", "d/f")
            file.unsigned("MOD", 0o4751, 2)
            file.raw("MTM", "T", little(2000, 8) + little(5, 4))
            file.blob("DAT", "A", [1])
            try scratch.extract(folder.bytes + file.bytes + RawEntry.file("plain", [2]))
            let status = try here.status(at: scratch("out/d"))
            #expect(status.permissions.rawValue == 0o555)
            #expect(status.modificationTime == Timestamp(seconds: 1000))
            let inner = try here.status(at: scratch("out/d/f"))
            // The set-user bit comes only with the owner.
            #expect(inner.permissions.rawValue == 0o751)
            #expect(inner.modificationTime == Timestamp(seconds: 2000, nanoseconds: 5))
            #expect(try here.status(at: scratch("out/plain")).permissions.rawValue == 0o644)
        }
    }

    @Test func folderTimesSurviveAnyOrder() throws {
        try Scratch.with { scratch in
            func folder(_ path: String) -> [UInt8] {
                var entry = RawEntry("D", path)
                entry.raw("MTM", "S", little(1000, 8))
                return entry.bytes
            }
            let archive =
                folder("") + folder("a") + folder("a/b") + RawEntry.file("a-x", [1]) + RawEntry.file("a/b/c", [1])
                + RawEntry.file("a/d", [1]) + folder("empty")
            try scratch.extract(archive)
            for path in ["out", "out/a", "out/a/b", "out/empty"] {
                #expect(try here.status(at: scratch(path)).modificationTime == Timestamp(seconds: 1000), "\(path)")
            }
        }
    }

    @Test func makesFoldersThatNoEntryNames() throws {
        try Scratch.with { scratch in
            try scratch.extract(RawEntry.file("a/b/c", [1]) + RawEntry.folder("a/b"))
            #expect(try scratch.tree("out") == ["a/b/c"])
        }
    }

    @Test func theRootEntryIsTheFolderItself() throws {
        try Scratch.with { scratch in
            var root = RawEntry("D", "")
            root.unsigned("MOD", 0o750, 2)
            try scratch.extract(root.bytes + RawEntry.file("f", [1]))
            #expect(try here.status(at: scratch("out")).permissions.rawValue == 0o750)
        }
    }

    @Test func clustersBecomeHardLinks() throws {
        try Scratch.with { scratch in
            func member(_ path: String, _ cluster: UInt64, _ content: [UInt8]?) -> [UInt8] {
                var entry = RawEntry("F", path)
                if let content { entry.blob("DAT", "A", content) }
                entry.unsigned("HLC", cluster, 1)
                return entry.bytes
            }
            try scratch.extract(
                member("a", 0, [1, 2]) + member("b", 0, [1, 2]) + member("d/c", 0, [1, 2]) + member("p", 1, [3])
                    + member("q", 1, nil) + member("r", 1, [4]))
            func status(_ path: String) throws -> FileStatus { try here.status(at: scratch("out").appending(path)) }
            #expect(try status("a").isSameFile(as: status("b")) && status("a").isSameFile(as: status("d/c")))
            #expect(try status("p").isSameFile(as: status("q")))
            // A member that says something else is kept as it is.
            #expect(try File.read(scratch("out/r")) == [4])
            #expect(try status("a").linkCount == 3)
        }
    }

    @Test func equalDataIsCopied() throws {
        try Scratch.with { scratch in
            var first = RawEntry("F", "a")
            first.blob("DAT", "A", [1, 2, 3])
            first.unsigned("SLC", 0, 1)
            var second = RawEntry("F", "b")
            second.unsigned("SLC", 0, 1)
            try scratch.extract(first.bytes + second.bytes)
            #expect(try File.read(scratch("out/b")) == [1, 2, 3])
            #expect(try here.status(at: scratch("out/a")).linkCount == 1)
        }
    }

    @Test func specialFilesAreLeftOutAndNamed() throws {
        try Scratch.with { scratch in
            var archive = RawEntry.file("f", [1])
            for type in "PCBSWRT" {
                var entry = RawEntry(type, "special\(type)")
                entry.unsigned("DEV", 1, 4)
                archive += entry.bytes
            }
            var metadata = RawEntry()
            metadata.unsigned("TYP", UInt64(UInt8(ascii: "M")), 1)
            metadata.blob("DAT", "A", [1, 2])
            let summary = try scratch.extract(archive + metadata.bytes)
            #expect(try scratch.tree("out") == ["f"])
            #expect(summary.skipped == 8)
            #expect(summary.skippedNames.first == "specialP (named pipe)")
        }
    }

    @Test func filesWithoutDataAreEmptyOrRefused() throws {
        try Scratch.with { scratch in
            try scratch.extract(RawEntry("F", "empty").bytes)
            #expect(try here.status(at: scratch("out/empty")).size == 0)
        }
        try Scratch.with { scratch in
            var listed = RawEntry("F", "listed")
            listed.unsigned("SIZ", 10, 1)
            let error = try #require(throws: ArchiveError.self) { try scratch.extract(listed.bytes) }
            #expect(error.code == .missingData)
        }
    }

    @Test func linksThatLeaveNeedLeave() throws {
        try Scratch.with { scratch in
            var options = ExtractionOptions()
            options.links = .any
            try scratch.extract(RawEntry.link("l", to: "/etc/passwd"), options: options)
            #expect(try here.readLink(at: scratch("out/l")) == "/etc/passwd")
        }
    }

    @Test func resumesInTheMiddleOfAFile() throws {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 40, largest: 4000)
        let archive = try sample.archive(.lz4)
        try Scratch.with { scratch in
            try scratch.extract(archive)
            let whole = try scratch.contents("out")

            // Every checkpoint in turn is where one run dies and the next goes on; the dying run writes a little more.
            let target = try scratch.makeDirectory("resumed")
            let folder = OwnedDescriptor(try here.openDirectory(at: target))
            var saved: (checkpoint: ArchiveCheckpoint, state: ExtractionState)?
            var finished = false
            while !finished {
                let extractor =
                    try saved.map {
                        try DirectoryExtractor(directory: folder.borrowed, resuming: $0.state, at: $0.checkpoint)
                    } ?? DirectoryExtractor(directory: folder.borrowed)
                let decoder = try ArchiveDecoder(sink: extractor, threads: 2, resuming: saved?.checkpoint)
                struct Dies: Error {}
                var seen = 0
                decoder.onCheckpoint = { checkpoint in
                    seen += 1
                    if seen == 1 { saved = (checkpoint, extractor.state) }
                    if seen == 3 { throw Dies() }
                }
                do {
                    try feed(archive[Int(saved?.checkpoint.archiveOffset ?? 0)...], to: decoder)
                    try decoder.finish()
                    try extractor.finish()
                    finished = true
                } catch is Dies {}
            }
            #expect(try scratch.contents("resumed") == whole)
            for file in sample.files where file.entry.type == .directory {
                let time = try here.status(at: target.appending(file.entry.path)).modificationTime
                #expect(time == file.entry.modificationTime)
            }
        }
    }
}
