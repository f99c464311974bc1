// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import FuzzSupport
import HTTP
import Kit
import PackUpdates
import System
import TestSupport

/// Mutated answers to a request for ranges of an archive, heads and bodies, in pieces of any size. Only bytes that were asked for may
/// come out, each once and in order; blocks made of them are where they belong; and an answer that is as it should be gives all.
@main
enum RangeAnswerFuzz {
    static func main() throws {
        let pack = try Pack()
        let dictionary = [
            "\r\n", "--b", "--b--", "Content-Range: bytes ", "Content-Type: multipart/byteranges; boundary=b", "0-1",
            "/",
            "9223372036854775807", "-", "*",
        ].map { Array($0.utf8) }
        try Fuzzer(name: "fuzz-range-answer").run(corpus: pack.answers, dictionary: dictionary) { input, generator in
            for ranges in [pack.several, pack.one] {
                do {
                    try check(input, pack, ranges, &generator)
                } catch let error as HTTPClientError {
                    try Finding.require(!error.message.isEmpty, "an error without a message")
                } catch let error as ArchiveError {
                    try Finding.require(!error.message.isEmpty, "an error without a message")
                }
            }
        }
    }

    private static func check(
        _ input: [UInt8], _ pack: Pack, _ runs: [Range<Int>], _ generator: inout SeededGenerator
    ) throws {
        let (headers, body) = split(input)
        var request = HTTPRequest(url: "https://packs.example/pack", expectedLength: Int64(pack.archive.count))
        request.ranges = runs.map { pack.offsets[$0.lowerBound]..<pack.offsets[$0.upperBound] }
        let head = try ResponseCheck(request: request).evaluate(
            status: 206, headers: headers, finalURL: "https://packs.example/pack")
        var reader = try RangedBody(head, request: request)
        let blocks = runs.flatMap(\.self).map { block in
            BlocksDecoder.Block(
                streamOffset: Int64(block) * Int64(pack.index.archive.blockSize),
                contentSize: pack.index.archive.contentSize(of: block),
                storedSize: pack.index.archive.storedSizes[block])
        }
        let decoder = try BlocksDecoder(
            letter: pack.index.archive.letter, blockSize: pack.index.archive.blockSize, blocks: blocks, threads: 1)
        var (isSame, next) = (true, Int64(-1))
        var wanted = blocks[...]
        var given = 0
        decoder.deliver = { offset, bytes in
            guard let block = wanted.first else { throw Finding("content of no block") }
            try Finding.require(
                offset == block.streamOffset + Int64(given) && given + bytes.count <= block.contentSize,
                "content at \(offset), which belongs elsewhere")
            given += bytes.count
            if isSame {
                try Finding.require(
                    bytes.elementsEqual(pack.stream[Int(offset)..<Int(offset) + bytes.count]),
                    "wrong content of right bytes")
            }
        }
        decoder.blockEnded = { _ in
            wanted = wanted.dropFirst()
            given = 0
        }
        var position = 0
        while position < body.count {
            let end = min(body.count, position + Int.random(in: 1...4000, using: &generator))
            try body[position..<end].withUnsafeBytes { bytes in
                try reader.take(bytes) { offset, bytes in
                    let range = offset..<offset + Int64(bytes.count)
                    try Finding.require(
                        offset >= next && request.ranges.contains { $0.clamped(to: range) == range },
                        "the bytes \(range), which were not asked for")
                    next = range.upperBound
                    isSame = isSame && bytes.elementsEqual(pack.archive[Int(offset)..<Int(range.upperBound)])
                    try decoder.feed(bytes)
                }
            }
            position = end
        }
        try reader.finish()
        try decoder.finish()
        try Finding.require(wanted.isEmpty, "\(wanted.count) blocks too few")
    }

    /// The fields of a head, and what follows the empty line behind them.
    private static func split(_ input: [UInt8]) -> (HTTPHeaders, [UInt8]) {
        var headers: [(String, String)] = []
        var rest = input[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF8.self).filter { $0 != "\r" && $0 != "\r\n" }
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            let words = line.split(separator: ":", maxSplits: 1)
            if words.count == 2 { headers.append((String(words[0]), String(words[1].drop { $0 == " " }))) }
        }
        return (HTTPHeaders(headers), Array(rest))
    }
}

/// An archive, and the answers of a server that does as it is asked.
private struct Pack {
    let archive: [UInt8]
    let stream: [UInt8]
    let index: PackIndex
    let offsets: [Int64]
    /// Runs of blocks.
    let several: [Range<Int>]
    let one: [Range<Int>]

    init() throws {
        let folder = try TemporaryDirectory(prefix: "fuzz-range-answer")
        var generator = SeededGenerator(seed: 7)
        let path = folder.path.appending("pack.aar")
        var file = try NewFile(at: path)
        let descriptor = file.descriptor
        let writer = try ArchiveWriter(
            output: { try descriptor.writeFully($0) }, blockSize: 4096, threads: 1, fields: .mode)
        try writer.append(EntryHeader(type: .regularFile, path: "manifest.json"), bytes: Array("{}".utf8))
        for number in 0..<6 {
            try writer.append(
                EntryHeader(type: .regularFile, path: "Contents/\(number)"),
                bytes: generator.bytes(5000, redundancy: true))
        }
        try writer.finish()
        try file.publish()
        archive = try File.read(path)
        index = try PackIndex.make(ofArchive: path)
        offsets = index.archive.blockOffsets
        (several, one) = ([0..<1, 3..<5], [2..<3])
        // What the blocks hold, by way of the decoder alone.
        let (index, offsets, archive) = (index, offsets, archive)
        let decoder = try BlocksDecoder(
            letter: index.archive.letter, blockSize: index.archive.blockSize,
            blocks: index.archive.storedSizes.indices.map { block in
                BlocksDecoder.Block(
                    streamOffset: Int64(block) * Int64(index.archive.blockSize),
                    contentSize: index.archive.contentSize(of: block), storedSize: index.archive.storedSizes[block])
            }, threads: 1)
        let made = Locked<[UInt8]>([])
        decoder.deliver = { _, bytes in made.withLock { $0 += bytes } }
        try archive[Int(offsets[0])..<Int(offsets[offsets.count - 1])].withUnsafeBytes { try decoder.feed($0) }
        try decoder.finish()
        stream = made.withLock { $0 }
    }

    var answers: [[UInt8]] {
        func bytes(_ run: Range<Int>) -> (field: String, bytes: ArraySlice<UInt8>) {
            let (start, end) = (offsets[run.lowerBound], offsets[run.upperBound])
            return ("Content-Range: bytes \(start)-\(end - 1)/\(archive.count)\r\n", archive[Int(start)..<Int(end)])
        }
        var parts = Array("Content-Type: multipart/byteranges; boundary=b\r\n\r\n".utf8)
        for run in several {
            let (field, bytes) = bytes(run)
            parts += Array("\r\n--b\r\n\(field)\r\n".utf8) + bytes
        }
        parts += Array("\r\n--b--\r\n".utf8)
        return [parts] + (several + one).map { Array((bytes($0).field + "\r\n").utf8) + bytes($0).bytes }
    }
}
