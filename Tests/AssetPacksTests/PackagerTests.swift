// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport
import Testing

@testable import AssetPacks

struct PackagerTests {
    private func listing(_ path: FilePath) throws -> [String] {
        var lines: [String] = []
        try PackInspector.forEachEntry(of: path) { entry in
            let mode = String(entry.mode ?? 0, radix: 8)
            lines.append(
                "\(entry.type) \(entry.path) \(mode) \(entry.dataSize)" + (entry.linkTarget.map { " -> \($0)" } ?? ""))
            #expect(entry.modificationTime == nil && entry.userID == nil && entry.flags == nil)
        }
        return lines
    }

    @Test func packsWhatTheManifestSelects() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let bytes = try fixture.package()
            let manifest = try fixture.evaluate().manifest
            #expect(
                try listing(scratch("X.aar")) == [
                    "F manifest.json 644 \(manifest.archivedBytes.count)",
                    "D Contents 755 0",
                    "F Contents/Intro.m4v 644 4",
                    "D Contents/Levels 755 0",
                    "D Contents/Levels/1 755 0",
                    "F Contents/Levels/1/map 644 300000",
                    "D Contents/Levels/2 755 0",
                    "F Contents/Levels/2/map 644 70000",
                    "F Contents/Levels/empty 644 0",
                    "L Contents/Levels/first 755 0 -> 1/map",
                    "F Contents/Levels/run 755 10",
                ])
            let contents = try PackInspector.inspect(scratch("X.aar"))
            #expect(contents.manifest.assetPackID == "Tutorial")
            #expect(contents.archiveSize == Int64(bytes.count))
            #expect(contents.installedSize == 370_014)
            #expect(contents.fileCount == 5)
            #expect(contents.linkCount == 1)
            #expect(contents.warnings.isEmpty)
            #expect(contents.digest.utf8.count == 64)
        }
    }

    @Test(arguments: Compression.allCases)
    func extractsToTheSameFiles(_ compression: Compression) throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            try fixture.package { $0.compression = compression }
            let file = try PackInspector.open(scratch("X.aar"))
            _ = try ArchiveExtraction.extract(file.borrowed, to: scratch("out"))
            #expect(try scratch.tree("out/Contents") == scratch.tree("src"))
            for name in try scratch.tree("src") where !name.hasSuffix("first") {
                #expect(try File.read(scratch("out/Contents/\(name)")) == File.read(scratch("src/\(name)")), "\(name)")
            }
        }
    }

    @Test func sameInputSameBytes() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let first = try fixture.package(to: "1.aar") { $0.threads = 1 }
            #expect(try fixture.package(to: "2.aar") { $0.threads = 4 } == first)
            // Another tree of the same contents: made in another order, with other times and modes, elsewhere.
            try Scratch.with { other in
                for name in try scratch.tree("src").reversed() where !name.hasSuffix("first") {
                    try other.write(File.read(scratch("src/\(name)")), to: "src/\(name)")
                    try FileDescriptor.currentDirectory.setModificationTime(
                        Timestamp(seconds: 1_000_000, nanoseconds: 5), at: other("src/\(name)"))
                    try FileDescriptor.currentDirectory.setPermissions(
                        FilePermissions(rawValue: name.hasSuffix("run") ? 0o711 : 0o600), at: other("src/\(name)"))
                }
                try FileDescriptor.currentDirectory.makeSymbolicLink(to: "1/map", at: other("src/Levels/first"))
                try FileDescriptor.currentDirectory.setPermissions(.directoryPrivate, at: other("src/Levels"))
                try other.write("// A comment.\n" + PackFixture.manifest, to: "M.json")
                #expect(try PackFixture(scratch: other).package() == first)
            }
        }
    }

    @Test func progressEndsAtTheTotal() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let seen = Locked<[Packager.Progress]>([])
            var packager = Packager(try fixture.evaluate())
            packager.blockSize = 64 << 10
            _ = try packager.package(to: scratch("X.aar"), progress: { step in seen.withLock { $0.append(step) } })
            let steps = seen.withLock { $0 }
            #expect(steps.count > 3)
            #expect(steps.map(\.completed) == steps.map(\.completed).sorted())
            #expect(steps.last == Packager.Progress(completed: 370_014, total: 370_014))
        }
    }

    @Test func neverOverwrites() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            try scratch.write("precious", to: "X.aar")
            let error = try #require(throws: AssetPackError.self) { try fixture.package() }
            #expect(error.code == .outputExists)
            #expect(
                error.message
                    == "\"\(scratch("X.aar"))\" exists already and is not overwritten. Remove it, or name another file."
            )
            #expect(try File.read(scratch("X.aar")) == Array("precious".utf8))
        }
    }

    /// The name can be taken while the pack is being written.
    @Test func neverOverwritesWhatCameMeanwhile() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let packager = Packager(try fixture.evaluate())
            let target = scratch("X.aar")
            let error = try #require(throws: AssetPackError.self) {
                try packager.package(
                    to: target,
                    progress: { _ in
                        _ = try? AtomicFile.write("first".utf8, to: target, durable: false)
                    })
            }
            #expect(error.code == .outputExists)
            #expect(try File.read(target) == Array("first".utf8))
        }
    }

    @Test func cancellationLeavesNothing() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let before = try scratch.tree()
            let packager = Packager(try fixture.evaluate())
            #expect(throws: CancellationError.self) {
                try packager.package(to: scratch("X.aar"), isCancelled: { true })
            }
            #expect(try scratch.tree() == before)
        }
    }

    @Test func missingFolderOfTheOutput() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let error = try #require(throws: AssetPackError.self) { try fixture.package(to: "none/X.aar") }
            #expect(error.code == .notFound)
            #expect(
                error.message == "The folder for \"\(scratch("none/X.aar"))\" does not exist. Make it, or name another."
            )
        }
    }

    @Test func noSpaceLeavesNothing() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let disk = try scratch.makeDirectory("disk")
            // Needs root; the error's handling is tested below in any case.
            let mounted = try? ChildProcess.run(
                executable: "/bin/mount",
                arguments: ["-t", "tmpfs", "-o", "size=64k", "larder-test", disk.string])
            guard mounted?.exitCode == 0 else { return }
            scratch.addCleanup {
                _ = try? ChildProcess.run(executable: "/bin/umount", arguments: [disk.string])
            }
            let error = try #require(throws: AssetPackError.self) { try fixture.package(to: "disk/X.aar") }
            #expect(error.code == .noSpace)
            #expect(error.exitCode == .noSpace)
            #expect(try scratch.tree("disk").isEmpty)
        }
    }

    @Test(arguments: [Errno.noSpace, .diskQuotaExceeded, .fileTooLarge])
    func fullDisks(_ number: Errno) {
        #expect(Packager.describe(number, writing: "X.aar").code == .noSpace)
    }

    @Test func aFileThatShrinksWhilePacked() throws {
        try Scratch.with { scratch in
            let fixture = try PackFixture(scratch: scratch).writeTree()
            let packager = Packager(try fixture.evaluate())
            try scratch.write("x", to: "src/Levels/2/map")
            let error = try #require(throws: AssetPackError.self) { try packager.package(to: scratch("X.aar")) }
            #expect(error.code == .changedWhileReading)
            #expect(!(try scratch.tree().contains("X.aar")))
        }
    }
}
