// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport

@testable import AssetPacks

/// A source tree on disk with a manifest, and the pack of it.
struct PackFixture {
    let scratch: Scratch

    static let manifest = """
        {
          "assetPackID": "Tutorial",
          "downloadPolicy": { "essential": { "installationEventTypes": ["firstInstallation"] } },
          "fileSelectors": [ { "directory": "Levels" }, { "file": "Intro.m4v" } ],
          "platforms": ["Linux", "iOS"],
          "sourceRoot": "src"
        }
        """

    @discardableResult
    func writeTree() throws -> PackFixture {
        var generator = SeededGenerator(seed: 7)
        try scratch.write(generator.bytes(300_000, redundancy: true), to: "src/Levels/1/map")
        try scratch.write(generator.bytes(70_000), to: "src/Levels/2/map")
        try scratch.write("", to: "src/Levels/empty")
        try scratch.write("#!/bin/sh\n", to: "src/Levels/run")
        try scratch.write("film", to: "src/Intro.m4v")
        try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: scratch("src/Levels/run"))
        try FileDescriptor.currentDirectory.makeSymbolicLink(to: "1/map", at: scratch("src/Levels/first"))
        try scratch.write(Self.manifest, to: "M.json")
        return self
    }

    func evaluate(_ manifest: String? = nil) throws -> PackEvaluation {
        if let manifest { try scratch.write(manifest, to: "M.json") }
        let read = try PackManifest(contentsOf: scratch("M.json"))
        return try PackEvaluation(
            read, sourceDirectory: read.sourceDirectory(manifest: scratch("M.json"), workingDirectory: scratch.path))
    }

    @discardableResult
    func package(to name: String = "X.aar", _ change: (inout Packager) -> Void = { _ in }) throws -> [UInt8] {
        var packager = Packager(try evaluate())
        packager.blockSize = 64 << 10
        change(&packager)
        _ = try packager.package(to: scratch(name))
        return try File.read(scratch(name))
    }

    /// An archive of any entries.
    func archive(_ name: String, _ body: (ArchiveWriter) throws -> Void) throws -> FilePath {
        let path = scratch(name)
        let file = OwnedDescriptor(
            try FileDescriptor.open(path, .writeOnly, options: [.create, .truncate], permissions: .fileDefault))
        let writer = try ArchiveWriter(file: file.borrowed)
        try body(writer)
        try writer.finish()
        return path
    }
}
