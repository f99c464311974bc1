// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import FuzzSupport
import Kit
import System
import TestSupport

/// Mutated archives must give the same answer however they are fed, never trap, and never write outside.
@main
enum ArchiveFuzz {
    static func main() throws {
        let fuzzer = Fuzzer(name: "fuzz-archive")
        let words = [
            "TYP1F", "TYP1L", "PATP", "LNKP", "DATA", "DATB", "DATC", "XATC", "HLC1", "MTMT", "..", "/", "bvx2", "bvx-",
        ]
        let dictionary = (words + ["bvxn", "bvx$", "bv41", "bv4-", "bv4$", "AA01", "YAA1", "pbze"]).map {
            Array($0.utf8)
        }
        try fuzzer.run(corpus: try Corpus.archives(), dictionary: dictionary) { input, generator in
            try check(input, &generator)
        }
    }

    private static var limits: ArchiveLimits {
        var limits = ArchiveLimits()
        limits.maximumTotalSize = 4 << 20
        return limits
    }

    private static func check(_ input: [UInt8], _ generator: inout SeededGenerator) throws {
        let whole = try Outcome(input, limits: limits, threads: 1)
        let pieces = try Outcome(
            input, piece: Int.random(in: 1...3000, using: &generator), limits: limits,
            threads: Int.random(in: 1...3, using: &generator))
        try Finding.require(
            whole.code == pieces.code, "in pieces \(pieces.code ?? "read"), whole \(whole.code ?? "read")")
        if whole.code == nil { try Finding.require(whole.digest == pieces.digest, "another content in pieces") }

        var small = limits
        small.largestHeldBlock = 64
        let streamed = try Outcome(input, piece: 777, limits: small, threads: 1)
        if whole.code == nil, streamed.code == nil {
            try Finding.require(whole.digest == streamed.digest, "another content when streamed")
        }
        if let stop = pieces.stops.randomElement(using: &generator), whole.code == nil {
            let rest = try Outcome(
                Array(input[Int(stop.checkpoint.archiveOffset)...]), limits: limits, threads: 1, resuming: stop)
            try Finding.require(rest.code == nil && rest.digest == whole.digest, "another content from a checkpoint")
        }
        if Int.random(in: 0...20, using: &generator) == 0 { try extract(input) }
    }

    private static func extract(_ input: [UInt8]) throws {
        try Scratch.with { scratch in
            let archive = try scratch.write(input, to: "archive")
            let file = try OwnedDescriptor(archive, .readOnly)
            do {
                _ = try ArchiveExtraction.extract(file.borrowed, to: scratch("inner/out"), limits: limits)
            } catch is ArchiveError {
                let left = try scratch.tree("")
                try Finding.require(left == ["archive"], "left behind: \(left)")
            }
        }
    }
}
