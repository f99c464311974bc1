// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Deltas
import Kit
import System
import TestSupport
import Testing

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
    func patch(_ name: String = "X.patch", pieceSize: Int = DeltaFormat.pieceSize) throws -> [UInt8] {
        _ = try PatchMaker.make(from: old, to: new, at: scratch(name), pieceSize: pieceSize)
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

    /// Applies all of a patch, as a stream.
    static func apply(
        _ patch: [UInt8], _ index: PackIndex, _ indexDigest: Digest, base: Digest, old: PackListBase?,
        _ sink: any PatchSink, piece: Int = 1 << 20
    ) throws {
        var reader = PatchTableReader(index: index, indexDigest: indexDigest, base: base, old: old)
        let start = try patch.withUnsafeBytes { try reader.take($0) }
        guard let table = reader.table else { throw PatchTable.damaged("it ends too early") }
        let applier = try PatchApplier(
            table, ranges: reader.deltaRanges, index: index, groups: Array(table.groups.indices), sink: sink)
        for at in stride(from: start, to: patch.count, by: piece) {
            try Array(patch[at..<min(at + piece, patch.count)]).withUnsafeBytes { try applier.take(Int64(at), $0) }
        }
        try applier.finish()
    }

    /// What applying gives: contents by number, and those that failed.
    /// - Parameter stop: of each position reached, whether the applying breaks off there and is begun anew from it.
    func apply(
        _ patch: [UInt8], missing: Set<Digest> = [], groups: [Int]? = nil, piece: Int = 1 << 20,
        stop: @escaping (PatchPosition) -> Bool = { _ in false }
    ) throws -> PatchCollector {
        let collector = PatchCollector(scratch, bases: bases.filter { !missing.contains($0.key) }, index: new.index)
        var reader = PatchTableReader(
            index: new.index, indexDigest: new.indexDigest, base: old.index.archive.digest,
            old: PackListBase(of: old.index))
        let start = try patch.withUnsafeBytes { try reader.take($0) }
        let table = try reader.table ?? { throw PatchTable.damaged("it ends too early") }()
        guard patch.count <= reader.deltaRanges.last?.upperBound ?? Int64(start) else {
            throw PatchTable.damaged("something follows its end")
        }
        var left = groups ?? Array(table.groups.indices)
        var position: PatchPosition?
        while true {
            let applier = try PatchApplier(
                table, ranges: reader.deltaRanges, index: new.index, groups: left, from: position, sink: collector)
            collector.stop = stop
            do {
                for at in stride(from: start, to: patch.count, by: piece) {
                    try Array(patch[at..<min(at + piece, patch.count)]).withUnsafeBytes {
                        try applier.take(Int64(at), $0)
                    }
                }
                try applier.finish()
                return collector
            } catch let stopped as PatchCollector.Stopped {
                position = stopped.position
                left = left.filter { $0 >= stopped.position.group }
                // A group that is complete is not gone on with.
                if stopped.position.delta == table.groups[stopped.position.group].deltaSize {
                    left = left.filter { $0 > stopped.position.group }
                    position = nil
                }
            }
        }
    }
}

/// Keeps what a patch gives, in memory.
final class PatchCollector: PatchSink {
    struct Stopped: Error {
        let position: PatchPosition
    }

    private let scratch: Scratch
    private let bases: [ContentName: [UInt8]]
    private let index: PackIndex
    private var current: [UInt8] = []
    private(set) var contents: [Int: [UInt8]] = [:]
    private(set) var failed: Set<Int> = []
    private(set) var stops = 0
    var stop: (PatchPosition) -> Bool = { _ in false }

    init(_ scratch: Scratch, bases: [Digest: [UInt8]], index: PackIndex) {
        self.scratch = scratch
        self.bases = Dictionary(bases.map { (ContentName($0), $1) }) { first, _ in first }
        self.index = index
    }

    func base(_ base: PatchTable.Base) throws -> PatchBase.Part? {
        let found: (bytes: [UInt8]?, file: String) =
            switch base.source {
            case .old(let name): (bases[name], "bases/\(name.hex)")
            case .new(let content): (contents[content], "bases/\(content)")
            }
        guard let bytes = found.bytes else { return nil }
        // Behind some bytes, as contents lie in larger files, too.
        try scratch.write([1, 2, 3] + bytes, to: found.file)
        return PatchBase.Part(
            file: try OwnedDescriptor(scratch(found.file), .readOnly), offset: 3, size: base.size)
    }

    func begin(content: Int, at offset: Int64) {
        if offset > 0 {
            #expect(Int(offset) == current.count, "what was given before is at hand")
        } else {
            current = []
        }
    }

    func data(_ bytes: UnsafeRawBufferPointer) { current += bytes }

    func end(content: Int) -> Bool {
        guard SHA256.hash(current) == index.contents[content].digest else { return false }
        contents[content] = current
        return true
    }

    func fail(content: Int, because reason: any Error) { failed.insert(content) }

    func reached(_ position: PatchPosition) throws {
        guard stop(position) else { return }
        stops += 1
        throw Stopped(position: position)
    }
}
