// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import FuzzSupport
import Kit

/// What decoding an input gives: an error's code, or a digest of every call of the sink.
final class Outcome: ArchiveSink {
    /// A checkpoint with what the sink knew at that moment.
    struct Stop {
        var checkpoint: ArchiveCheckpoint
        var digest: Digest
        var inEntry: Bool
        var expected: UInt64
    }

    /// A running hash (FNV-1a): only equality matters here.
    struct Digest: Equatable {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325

        mutating func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
    }

    private(set) var code: String?
    private(set) var digest = Digest()
    private(set) var stops: [Stop] = []
    private var inEntry = false
    private var expected: UInt64 = 0

    /// - Throws: `Finding` when the decoder breaks its word; an `ArchiveError` only becomes `code`.
    init(
        _ input: [UInt8], piece: Int = .max, limits: ArchiveLimits, threads: Int, resuming stop: Stop? = nil
    ) throws {
        if let stop { (digest, inEntry, expected) = (stop.digest, stop.inEntry, stop.expected) }
        do {
            let decoder = try ArchiveDecoder(
                sink: self, limits: limits, threads: threads, resuming: stop?.checkpoint)
            decoder.onCheckpoint = { [unowned self] checkpoint in
                stops.append(Stop(checkpoint: checkpoint, digest: digest, inEntry: inEntry, expected: expected))
            }
            try input.withUnsafeBytes { all in
                var rest = all[...]
                while !rest.isEmpty {
                    try decoder.feed(UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
                    rest = rest.dropFirst(piece)
                }
            }
            try decoder.finish()
            try Finding.require(!inEntry, "finished within an entry")
        } catch let error as ArchiveError {
            code = error.codeName
        }
    }

    func begin(_ entry: EntryHeader) throws {
        try Finding.require(!inEntry, "an entry begins within another")
        let path = entry.path
        let isSafe = !path.hasPrefix("/") && !path.utf8.contains(0) && !path.split(separator: "/").contains("..")
        try Finding.require(isSafe && path.utf8.count < 1024, "an unsafe path came through: \(path)")
        (inEntry, expected) = (true, entry.dataSize)
        digest.add("begin \(entry)".utf8)
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        try Finding.require(
            inEntry && !bytes.isEmpty && UInt64(bytes.count) <= expected, "content that was not announced")
        expected -= UInt64(bytes.count)
        digest.add(bytes)
    }

    func end() throws {
        try Finding.require(inEntry && expected == 0, "an entry ended early")
        inEntry = false
        digest.add("end".utf8)
    }
}
