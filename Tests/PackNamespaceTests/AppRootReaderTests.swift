// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System
import Testing

@testable import PackNamespace

@Suite struct AppRootReaderTests {
    @Test func opensFilesOfTheMergedTree() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x/one": "first"], "b": ["x/two": "second", "x/one": "hidden"]])
        let reader = AppRootReader(root: root.layout.root)
        #expect(try contents(reader.open("x/one")) == "first")
        #expect(try contents(reader.open("x/two")) == "second")
        #expect(try contents(reader.open("x/one", inPack: "b")) == "hidden")
        #expect(try contents(reader.open("/x/./y/../two")) == "second")
        #expect(try reader.open("x/two").size == 6)
        #expect(try reader.path(of: "x/two").path == root.layout.root.appending("packs/b/1/x/two"))
        #expect(try reader.list("x")?.map(\.name) == ["one", "two"])
        #expect(try reader.packs().map(\.id) == ["a", "b"])
    }

    @Test(arguments: ["absent", "", "x", "../x/one", "x/one/"])
    func namesWhatIsNotThere(path: String) throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x/one\u{1}": "first"]])
        let reader = AppRootReader(root: root.layout.root)
        let error = #expect(throws: NamespaceError.self) { _ = try reader.open(path) }
        #expect(error?.code == .fileNotFound)
        #expect(#expect(throws: NamespaceError.self) { _ = try reader.open(path, inPack: "z") }?.code == .packNotFound)
    }

    @Test func aNULInAPathNamesNothing() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "first"]])
        let error = #expect(throws: NamespaceError.self) { _ = try AppRootReader(root: root.layout.root).open("x\0y") }
        #expect(error?.code == .fileNotFound)
    }

    @Test func parentDirectoriesStayInsideTheTree() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "inside"]])
        let reader = AppRootReader(root: root.layout.root)
        #expect(try contents(reader.open("../../x")) == "inside")
        #expect(AppRootReader.normalized("../../../etc/passwd") == "etc/passwd")
    }

    @Test func anAppRootWithoutGenerationsHasNoPacks() throws {
        let root = try AppRoot()
        let reader = AppRootReader(root: root.layout.root)
        #expect(try reader.packs() == [])
        #expect(try reader.pack(id: "a") == nil)
        #expect(#expect(throws: NamespaceError.self) { _ = try reader.open("x") }?.code == .notInstalled)
        // It is found as soon as there is one, by the same reader.
        try root.publish(1, ["a": ["x": "now"]])
        #expect(try contents(reader.open("x")) == "now")
    }

    @Test func followsASwitchOfGenerations() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "old"]], version: "1")
        let reader = AppRootReader(root: root.layout.root)
        #expect(try contents(reader.open("x")) == "old")
        try root.publish(2, ["a": ["x": "new"]], version: "2")
        #expect(try contents(reader.open("x")) == "new")
        #expect(try reader.pack(id: "a")?.version == 2)
    }

    @Test func aLeaseKeepsItsGenerationAlive() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "old"]], version: "1")
        let reader = AppRootReader(root: root.layout.root)
        var held: NamespaceHandle? = try reader.current()
        try root.publish(2, ["a": ["x": "new"]], version: "2")
        #expect(try !root.delete(1, packVersion: "1"))
        _ = try reader.current()
        #expect(try !root.delete(1, packVersion: "1"), "the handle still holds it")
        #expect(held != nil)
        held = nil
        #expect(try root.delete(1, packVersion: "1"))
        #expect(try contents(reader.open("x")) == "new")
    }

    /// A child between fork and exec has a duplicate of every descriptor; so has this test.
    @Test func aLeaseThatIsLetGoIsFreeThoughAChildInheritedIt() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "old"]], version: "1")
        var held: NamespaceHandle? = try NamespaceHandle.openCurrent(of: root.layout)
        let here = FileDescriptor.currentDirectory
        let lease = try #require(
            try here.entries(at: "/proc/self/fd").compactMap { Int32($0.name) }.first {
                (try? here.readLink(at: FilePath("/proc/self/fd/\($0)"))) == root.layout.lease(1).string
            })
        let inherited = OwnedDescriptor(FileDescriptor(rawValue: try systemCall { dup(lease) }))
        try root.publish(2, ["a": ["x": "new"]], version: "2")
        #expect(try !root.delete(1, packVersion: "1"))
        #expect(held != nil)
        held = nil
        #expect(try root.delete(1, packVersion: "1"))
        withExtendedLifetime(inherited) {}
    }

    @Test func aLeaseForAnotherProgramOutlivesItsHandle() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "old"]], version: "1")
        var held: NamespaceHandle? = try NamespaceHandle.openCurrent(of: root.layout)
        let lease = try #require(try held?.inheritableLease())
        held = nil
        try root.publish(2, ["a": ["x": "new"]], version: "2")
        #expect(try !root.delete(1, packVersion: "1"))
        try lease.close()
        #expect(try root.delete(1, packVersion: "1"))
    }

    @Test func aDamagedNamespaceIsAnErrorWithItsName() throws {
        let root = try AppRoot()
        try root.publish(1, bytes: [1, 2, 3])
        let error = #expect(throws: NamespaceError.self) { _ = try AppRootReader(root: root.layout.root).open("x") }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("namespace") == true)
    }

    @Test func moreThanTheCachedNumberOfPacksAreReadable() throws {
        let root = try AppRoot()
        let packs = Dictionary(uniqueKeysWithValues: (0..<150).map { ("p\($0)", ["f\($0)": "\($0)"]) })
        try root.publish(1, packs)
        let reader = AppRootReader(root: root.layout.root)
        for _ in 0..<2 {
            for number in 0..<150 { #expect(try contents(reader.open("f\(number)")) == "\(number)") }
        }
    }

    @Test func anUninstalledAppIsNoticed() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "old"]])
        let reader = AppRootReader(root: root.layout.root)
        _ = try reader.current()
        try GenerationCounter.store(AppRootLayout.retiredCounter, in: root.layout)
        try FileDescriptor.currentDirectory.removeContentsOf(root.layout.root)
        #expect(#expect(throws: NamespaceError.self) { _ = try reader.open("x") }?.code == .notInstalled)
    }

    /// What it saw would never change again: the file of that counter goes, and another app's takes its place.
    @Test func aReaderThatComesDuringAnUninstallHoldsOnToNothing() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "old"]])
        try GenerationCounter.store(AppRootLayout.retiredCounter, in: root.layout)
        let reader = AppRootReader(root: root.layout.root)
        #expect(#expect(throws: NamespaceError.self) { _ = try reader.current() }?.code == .notInstalled)
        try FileDescriptor.currentDirectory.removeContentsOf(root.layout.root)
        try root.publish(1, ["a": ["x": "new"]])
        #expect(try contents(reader.open("x")) == "new")
    }

    /// Readers on several threads while generations come and go as fast as they can: every read gives a whole,
    /// current-at-some-moment file.
    @Test func readersNeverMissWhileGenerationsAreSwitchedAndDeleted() throws {
        let root = try AppRoot()
        try root.publish(1, ["a": ["x": "1"]], version: "1")
        let layout = root.layout
        let stop = Monitor(false)
        let reads = Monitor(0)
        let failures = Locked<[String]>([])
        let threads = try (0..<3).map { number in
            try WorkerThread.start(name: "reader\(number)") {
                let shared = AppRootReader(root: layout.root)
                while !stop.withLock({ $0 }) {
                    // A fresh reader each time exercises opening, a shared one the counter.
                    let reader = number == 0 ? shared : AppRootReader(root: layout.root)
                    do {
                        let text = try contents(reader.open("x"))
                        if Int(text) == nil { failures.withLock { $0.append("read \(text)") } }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                    reads.withLock { $0 += 1 }
                }
            }
        }
        var alive: [UInt64] = [1]
        var number: UInt64 = 1
        while reads.withLock({ $0 }) < 2000 || number < 200 {
            number += 1
            try root.publish(number, ["a": ["x": "\(number)"]], version: "\(number)")
            alive.append(number)
            for old in alive.dropLast() where try root.delete(old, packVersion: "\(old)") {
                alive.removeAll { $0 == old }
            }
        }
        stop.withLock { $0 = true }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == [])
    }
}

extension FileDescriptor {
    /// Empties the directory at a path.
    fileprivate func removeContentsOf(_ path: FilePath) throws {
        let directory = try OwnedDescriptor(path, .readOnly, options: .directory)
        try directory.borrowed.removeContents()
    }
}
