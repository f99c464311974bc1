// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System
import TestSupport
import Testing

@testable import DeviceService

/// A crash after every step of a commit: what readers see is the old or the new, and recovery ends in the new.
@Suite(.timeLimit(.minutes(5))) struct CommitCrashTests {
    private struct Crash: Error {}

    @Test(arguments: CommitStep.allCases) func aCrashAfterAnyStepIsFinished(step: CommitStep) throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let layout = AppRootLayout(root: scratch.path)
            let other = PackFixture("other", files: ["other/file": [7]])
            let old = PackFixture.random("levels", version: 1, bytes: 50_000, &random)
            let new = PackFixture.random("levels", version: 2, bytes: 50_000, &random)
            let calm = AppGenerations(layout: layout)
            try calm.prepare()
            try install(other, in: calm)
            try install(old, in: calm)
            let before = try readableFiles(scratch.path)

            let hook: CommitHook = { if $0 == step { throw Crash() } }
            var options = PackPipeline.Options()
            options.hook = hook
            #expect(throws: Crash.self) {
                try install(new, in: AppGenerations(layout: layout, hook: hook), options: options)
            }
            let between = try readableFiles(scratch.path)
            let after = other.files.merging(new.files) { $1 }
            #expect(between == (step.rawValue < CommitStep.switched.rawValue ? before : after))

            // The next start: recovery is a function of the disk.
            let recovered = AppGenerations(layout: layout)
            try recovered.prepare()
            try recovered.recover(keeping: [])
            let finished = step.rawValue >= CommitStep.sealed.rawValue
            #expect(try readableFiles(scratch.path) == (finished ? after : before))
            #expect(try FileDescriptor.currentDirectory.entries(at: layout.staging) == [])
            #expect(try FileDescriptor.currentDirectory.entries(at: layout.generations).count == 1)
            // The version and the list of its files.
            #expect(
                try FileDescriptor.currentDirectory.entries(at: layout.pack("levels")).map(\.name).sorted()
                    == (finished ? ["2-0000", "2-0000.contents"] : ["1-0000", "1-0000.contents"]))
            #expect(try GenerationCounter(of: layout).value == recovered.currentNumber())
            // And again, it changes nothing.
            let number = recovered.currentNumber()
            try recovered.recover(keeping: [])
            #expect(recovered.currentNumber() == number)
        }
    }

    @Test func aVersionThatIsReplacedGoesToTheSweeper() throws {
        try Scratch.with { scratch in
            var random = SeededGenerator.forTest()
            let layout = AppRootLayout(root: scratch.path.appending("app"))
            let sweeper = Sweeper(below: scratch.path)
            let generations = AppGenerations(layout: layout, sweeper: sweeper)
            try generations.prepare()
            for version in 1...3 {
                try install(.random("levels", version: version, bytes: 50_000, &random), in: generations)
                #expect(
                    try FileDescriptor.currentDirectory.entries(at: layout.pack("levels")).map(\.name).sorted()
                        == ["\(version)-0000", "\(version)-0000.contents"])
            }
            sweeper.wait()
            #expect(try FileDescriptor.currentDirectory.entries(at: scratch.path).map(\.name) == ["app"])
        }
    }

    @Test(arguments: [CommitStep.generationMade, .generationWritten, .switched, .counterStored])
    func aCrashWhileRemovingLeavesTheOldOrTheNew(step: CommitStep) throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let calm = AppGenerations(layout: layout)
            try calm.prepare()
            try install(PackFixture("a", files: ["x": [1]]), in: calm)
            try install(PackFixture("b", files: ["y": [2]]), in: calm)
            let hooked = AppGenerations(layout: layout, hook: { if $0 == step { throw Crash() } })
            #expect(throws: Crash.self) { try hooked.remove(["a"]) }
            let recovered = AppGenerations(layout: layout)
            try recovered.recover(keeping: [])
            let switched = step.rawValue >= CommitStep.switched.rawValue
            #expect(try readableFiles(scratch.path) == (switched ? ["y": [2]] : ["x": [1], "y": [2]]))
            #expect(FileDescriptor.currentDirectory.exists(at: layout.pack("a")) == !switched)
        }
    }

    @Test func stagingThatIsStillWantedIsKept() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let generations = AppGenerations(layout: layout)
            try generations.prepare()
            for pack in ["wanted", "unwanted"] { try scratch.write("x", to: "staging/\(pack)/checkpoint") }
            try scratch.write("x", to: "packs/orphan/1-0000/file")
            try scratch.write("x", to: "generations/77/namespace")
            try generations.recover(keeping: ["wanted"])
            let here = FileDescriptor.currentDirectory
            #expect(try here.entries(at: layout.staging).map(\.name) == ["wanted"])
            #expect(try here.entries(at: layout.packs) == [])
            #expect(try here.entries(at: layout.generations).map(\.name) == ["1"])
        }
    }

    @Test func aDamagedGenerationIsReplacedByAnEmptyOne() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let generations = AppGenerations(layout: layout)
            try generations.prepare()
            try install(PackFixture("a", files: ["x": [1]]), in: generations)
            let path = layout.namespace(try #require(generations.currentNumber()))
            var bytes = try File.read(path)
            bytes[bytes.count / 2] ^= 0xFF
            try AtomicFile.write(bytes, to: path, durable: false)
            try generations.recover(keeping: [])
            #expect(try generations.localPacks() == [])
            #expect(try AppRootReader(root: scratch.path).packs() == [])
            try install(PackFixture("a", files: ["x": [2]]), in: generations)
            #expect(try readableFiles(scratch.path) == ["x": [2]])
        }
    }

    @Test func filesGoTheMomentTheLastReaderLetsThemGo() async throws {
        try await Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let deleted = AsyncStream.makeStream(of: Void.self)
            let generations = AppGenerations(layout: layout, onCollected: { deleted.continuation.yield() })
            try generations.prepare()
            try install(PackFixture("a", files: ["x": [1]]), in: generations)
            var handle: NamespaceHandle? = try AppRootReader(root: scratch.path).current()
            try generations.remove(["a"])
            let here = FileDescriptor.currentDirectory
            #expect(here.exists(at: layout.root.appending("packs/a/1-0000/x")), "a reader holds it")
            let entry = try #require(handle?.table.entry(at: 0))
            let open = OwnedDescriptor(try #require(try handle?.open(entry)))
            handle = nil
            var iterator = deleted.stream.makeAsyncIterator()
            await iterator.next()
            #expect(!here.exists(at: layout.root.appending("packs/a")))
            #expect(try here.entries(at: layout.generations).count == 1)
            #expect(try open.borrowed.readAll() == [1], "what is open stays whole")
        }
    }

    @Test func anUninstalledAppLeavesNothingOfTheStore() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let generations = AppGenerations(layout: layout)
            try generations.prepare()
            try install(PackFixture("a", files: ["x": [1]]), in: generations)
            let reader = AppRootReader(root: scratch.path)
            let open = OwnedDescriptor(try reader.open("x").descriptor)
            try generations.retire()
            #expect(try scratch.tree() == [])
            #expect(try open.borrowed.readAll() == [1])
            #expect(try reader.packs() == [])
            #expect(throws: StoreError.self) {
                try generations.commit(StagedPack(layout: layout, id: "a"))
            }
        }
    }
}
