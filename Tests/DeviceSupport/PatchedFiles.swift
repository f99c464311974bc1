// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
import PackUpdates
import System
package import TestSupport

/// What a device makes of an index, a patch and the files that it has.
package enum PatchedFiles {
    /// All files of the new version, by their paths in the pack; nil for those that neither the old files nor the patch give.
    /// - Parameters:
    ///   - index: the file of the new version's index.
    ///   - base: the tree digest of the old archive in hexadecimal digits.
    ///   - old: the files that the device has, all of the old version.
    package static func make(
        index: [UInt8], patch: [UInt8], base: String, old: [String: [UInt8]], in scratch: Scratch
    ) throws -> [String: [UInt8]?] {
        guard let base = Digest(hex: base) else { throw KitError(.json, "\(base) is no digest.") }
        let target = try PackIndex(decoding: index)
        let known = Dictionary(old.values.map { (SHA256.hash($0), $0) }) { $1 }
        let files = PackListBase(
            files: old.map { .init(path: $0, size: Int64($1.count), digest: SHA256.hash($1)) })
        let collector = Collector(known, target, scratch)
        var reader = PatchTableReader(index: target, indexDigest: SHA256.hash(index), base: base, old: files)
        let start = try patch.withUnsafeBytes { try reader.take($0) }
        guard let table = reader.table else { throw KitError(.json, "The patch ends too early.") }
        let applier = try PatchApplier(
            table, ranges: reader.deltaRanges, index: target, groups: Array(table.groups.indices), sink: collector)
        try Array(patch[start...]).withUnsafeBytes { try applier.take(Int64(start), $0) }
        try applier.finish()
        var made: [String: [UInt8]?] = [:]
        for entry in target.entries {
            guard case .file(let number, _, _) = entry.kind, entry.path.hasPrefix("Contents/") else { continue }
            let digest = target.contents[number].digest
            let content: [UInt8]? = known[digest] ?? collector.contents[number]
            made.updateValue(content, forKey: String(entry.path.dropFirst("Contents/".count)))
        }
        return made
    }

    private final class Collector: PatchSink {
        /// The old contents.
        private let known: [ContentName: [UInt8]]
        private let target: PackIndex
        private let scratch: Scratch
        private var current: [UInt8] = []
        private(set) var contents: [Int: [UInt8]] = [:]

        init(_ known: [Digest: [UInt8]], _ target: PackIndex, _ scratch: Scratch) {
            self.known = Dictionary(known.map { (ContentName($0), $1) }) { first, _ in first }
            self.target = target
            self.scratch = scratch
        }

        func base(_ base: PatchTable.Base) throws -> PatchBase.Part? {
            let found: (bytes: [UInt8]?, file: String) =
                switch base.source {
                case .old(let name): (known[name], name.hex)
                case .new(let content): (contents[content], "\(content)")
                }
            guard let bytes = found.bytes else { return nil }
            let path = try scratch.write(bytes, to: "bases/\(found.file)")
            return PatchBase.Part(file: try OwnedDescriptor(path, .readOnly), size: base.size)
        }

        func begin(content: Int, at offset: Int64) { current = [] }
        func data(_ bytes: UnsafeRawBufferPointer) { current += bytes }

        func end(content: Int) -> Bool {
            let digest = SHA256.hash(current)
            guard digest == target.contents[content].digest else { return false }
            contents[content] = current
            return true
        }

        func fail(content: Int, because reason: any Error) {}
        func reached(_ position: PatchPosition) {}
    }
}
