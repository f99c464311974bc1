// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import System
import TestSupport

@testable import PackUpdates

/// Two versions of a pack in one scratch folder, and the patch between them.
struct PatchedPack {
    let scratch: Scratch
    let old: PatchVersion
    let new: PatchVersion
    /// The contents of the old version, by digest.
    private(set) var bases: [Digest: [UInt8]] = [:]
    private(set) var targets: [Digest: [UInt8]] = [:]

    init(_ scratch: Scratch, from oldFiles: [String: [UInt8]], to newFiles: [String: [UInt8]]) throws {
        self.scratch = scratch
        for (name, files) in [("Old.aar", oldFiles), ("New.aar", newFiles)] {
            try? FileDescriptor.currentDirectory.removeTree(at: scratch("src"))
            _ = try IndexedPack(scratch, files).package(to: name)
        }
        old = try PatchVersion(archive: scratch("Old.aar"))
        new = try PatchVersion(archive: scratch("New.aar"))
        for file in oldFiles.values { bases[SHA256.hash(file)] = file }
        for file in newFiles.values { targets[SHA256.hash(file)] = file }
    }

    /// The patch's bytes.
    func patch(_ name: String = "X.patch") throws -> [UInt8] {
        _ = try PatchMaker.make(from: old, to: new, at: scratch(name))
        return try File.read(scratch(name))
    }

    /// Numbers of the contents that a patch has to give.
    var changed: Set<Int> {
        let known = Set(old.index.contents.map(\.digest))
        return Set(
            new.index.contents.indices.filter {
                new.index.contents[$0].size > 0 && !known.contains(new.index.contents[$0].digest)
            })
    }

    /// What applying gives: contents by number, and those that failed.
    func apply(_ patch: [UInt8], missing: Set<Digest> = [], piece: Int = 1 << 20) throws -> PatchCollector {
        let collector = PatchCollector(scratch, bases: bases.filter { !missing.contains($0.key) })
        let applier = try PatchApplier(
            index: new.index, indexDigest: new.indexDigest, base: old.index.archive.digest, sink: collector)
        for start in stride(from: 0, to: patch.count, by: piece) {
            try Array(patch[start..<min(start + piece, patch.count)]).withUnsafeBytes { try applier.feed($0) }
        }
        try applier.finish()
        return collector
    }
}

/// Keeps what a patch gives, in memory.
final class PatchCollector: PatchSink {
    private let scratch: Scratch
    private let bases: [Digest: [UInt8]]
    private var current: [UInt8] = []
    /// What the patch gave so far, by digest.
    private var given: [Digest: [UInt8]] = [:]
    private(set) var contents: [Int: [UInt8]] = [:]
    private(set) var failed: Set<Int> = []

    init(_ scratch: Scratch, bases: [Digest: [UInt8]]) {
        self.scratch = scratch
        self.bases = bases
    }

    func base(_ base: PatchTable.Base) throws -> PatchBase.Part? {
        guard let bytes = bases[base.digest] ?? given[base.digest] else { return nil }
        // Behind some bytes, as contents lie in larger files, too.
        try scratch.write([1, 2, 3] + bytes, to: "bases/\(base.digest.hex)")
        return PatchBase.Part(
            file: try OwnedDescriptor(scratch("bases/\(base.digest.hex)"), .readOnly), offset: 3, size: base.size)
    }

    func begin(content: Int) { current = [] }
    func data(_ bytes: UnsafeRawBufferPointer) { current += bytes }
    func end(content: Int) {
        contents[content] = current
        given[SHA256.hash(current)] = current
    }
    func fail(content: Int, because reason: any Error) { failed.insert(content) }
}
