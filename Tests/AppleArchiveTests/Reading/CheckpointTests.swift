// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import FoundationEssentials
import Kit
import TestSupport
import Testing

/// A decoder that goes on from a checkpoint gives exactly the calls that were still to come.
@Suite struct CheckpointTests {
    /// A checkpoint, and what the sink had had when it was given.
    private struct Stop {
        var checkpoint: ArchiveCheckpoint
        var calls: [Recording.Call]
    }

    private func stops(_ archive: [UInt8], piece: Int) throws -> (stops: [Stop], all: [Recording.Call]) {
        let recording = Recording()
        let decoder = try ArchiveDecoder(sink: recording, threads: 2)
        var stops: [Stop] = []
        decoder.onCheckpoint = { stops.append(Stop(checkpoint: $0, calls: recording.calls)) }
        try feed(archive[...], to: decoder, piece: piece)
        try decoder.finish()
        return (stops, recording.calls)
    }

    /// Calls with all pieces of content joined, so that only what was given counts, not where it was cut.
    private func joined(_ first: [Recording.Call], _ second: [Recording.Call]) -> [Recording.Call] {
        guard case .data(let start)? = first.last, case .data(let rest)? = second.first else { return first + second }
        return first.dropLast() + [.data(start + rest)] + second.dropFirst()
    }

    @Test(arguments: [Compression.lzfse, .zlib, .lz4, .lzma]) func goesOnExactly(_ compression: Compression) throws {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 40, largest: 4000)
        let archive = try sample.archive(compression)
        let (stops, all) = try stops(archive, piece: Int.random(in: 1...3000, using: &generator))
        #expect(stops.count > 10)
        #expect(all == sample.calls)
        for stop in stops {
            let bytes = try JSONEncoder().encode(stop.checkpoint)
            let checkpoint = try JSONDecoder().decode(ArchiveCheckpoint.self, from: bytes)
            #expect(checkpoint == stop.checkpoint)
            let recording = Recording()
            let decoder = try ArchiveDecoder(sink: recording, threads: 2, resuming: checkpoint)
            let piece = Int.random(in: 1...3000, using: &generator)
            try feed(archive[Int(checkpoint.archiveOffset)...], to: decoder, piece: piece)
            try decoder.finish()
            #expect(joined(stop.calls, recording.calls) == all)
        }
    }

    @Test func sayWhereTheSinkStands() throws {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 20, largest: 5000)
        for stop in try stops(try sample.archive(.lz4), piece: 999).stops {
            var entry: EntryHeader?
            var delivered = 0
            for call in stop.calls {
                switch call {
                case .begin(let begun): (entry, delivered) = (begun, 0)
                case .data(let bytes): delivered += bytes.count
                case .end: entry = nil
                }
            }
            #expect(stop.checkpoint.currentEntry == entry)
            if entry != nil { #expect(stop.checkpoint.currentDataOffset == UInt64(delivered)) }
        }
    }

    @Test func bareStreamsGiveThemToo() throws {
        var generator = SeededGenerator.forTest()
        let content = generator.bytes(9 << 20)
        let archive = RawEntry.file("large", content) + RawEntry.file("small", [1, 2])
        let (stops, all) = try stops(archive, piece: 1 << 20)
        #expect(stops.map(\.checkpoint.archiveOffset) == [4 << 20, 8 << 20])
        for stop in stops {
            let recording = Recording()
            let decoder = try ArchiveDecoder(sink: recording, resuming: stop.checkpoint)
            try feed(archive[Int(stop.checkpoint.archiveOffset)...], to: decoder)
            try decoder.finish()
            #expect(joined(stop.calls, recording.calls) == all)
        }
    }

    @Test func aDamagedOneIsRefused() throws {
        var generator = SeededGenerator.forTest()
        let sample = SampleArchive(&generator, count: 20, largest: 5000)
        let archive = try sample.archive(.lz4)
        let stop = try #require(try stops(archive, piece: 999).stops.first { $0.checkpoint.currentEntry != nil })
        var text = String(decoding: try JSONEncoder().encode(stop.checkpoint), as: UTF8.self)
        text.replace(#/"header":\[[0-9]+/#, with: "\"header\":[1")
        let damaged = try JSONDecoder().decode(ArchiveCheckpoint.self, from: Data(text.utf8))
        let error = try #require(throws: ArchiveError.self) {
            _ = try ArchiveDecoder(sink: Recording(), resuming: damaged)
        }
        #expect(error.code == .badCheckpoint)
    }
}
