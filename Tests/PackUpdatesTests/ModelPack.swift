// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Testing

@testable import PackUpdates

/// A pack's version in memory: its files, the uncompressed stream that they lie in, and its index. Blocks are taken to be
/// compressed to half.
struct ModelPack {
    let files: [(path: String, bytes: [UInt8])]
    let stream: [UInt8]
    let index: PackIndex

    /// - Parameter headerSize: how many bytes of the stream stand before each file.
    init(
        _ named: [String: [UInt8]], blockSize: Int = 4096, chunkAverage: Int = 1024, headerSize: Int = 40,
        manifest: [UInt8] = Array("{}".utf8)
    ) throws {
        files =
            [("manifest.json", manifest)]
            + named.sorted { $0.key < $1.key }.map { ("Contents/\($0.key)", $0.value) }
        var stream: [UInt8] = []
        var contents: [PackIndex.Content] = []
        var numbers: [Digest: Int] = [:]
        var chunks: [ContentChunker.Chunk] = []
        var entries: [PackIndex.Entry] = []
        for file in files {
            stream += [UInt8](repeating: 0xEE, count: headerSize)
            let offset = Int64(stream.count)
            stream += file.bytes
            let digest = SHA256.hash(file.bytes)
            let number = numbers[digest] ?? contents.count
            if number == contents.count {
                numbers[digest] = number
                let start = chunks.count
                if file.bytes.count >= 4 * chunkAverage {
                    var chunker = ContentChunker(average: chunkAverage)
                    file.bytes.withUnsafeBytes { chunker.update($0) { chunks.append($0) } }
                    if let last = chunker.finish() { chunks.append(last) }
                }
                contents.append(
                    .init(digest: digest, size: Int64(file.bytes.count), offset: offset, chunks: start..<chunks.count))
            }
            entries.append(.init(path: file.path, kind: .file(content: number, offset: offset, isExecutable: false)))
        }
        let sizes = stride(from: 0, to: stream.count, by: blockSize).map {
            max(1, min(blockSize, stream.count - $0) / 2)
        }
        self.stream = stream
        index = try PackIndex(
            archive: .init(
                size: 12 + sizes.reduce(0) { $0 + 16 + Int64($1) }, digest: SHA256.hash(stream), letter: 0x65,
                blockSize: blockSize, streamSize: Int64(stream.count), storedSizes: sizes),
            contents: contents, entries: entries, chunkAverage: chunkAverage, chunks: chunks)
    }

    func bytes(of content: Int) -> [UInt8] {
        let content = index.contents[content]
        return Array(stream[Int(content.offset)..<Int(content.offset + content.size)])
    }

    /// Does what a plan says, and returns the contents it makes; nil for one that a patch would give. Whatever the plan
    /// takes must be local, or in its blocks.
    /// - Parameter progress: what is there already.
    func carryOut(
        _ plan: UpdatePlan, local: [ModelPack], progress: UpdateFacts.Progress = .init()
    ) throws -> [[UInt8]?] {
        struct OutOfBlocks: Error {}
        guard let actions = plan.actions else { return index.contents.indices.map(bytes) }
        var made: [[UInt8]?] = []
        for (number, action) in actions.enumerated() { made.append(try make(number, action, made)) }
        return made

        func make(_ number: Int, _ action: UpdatePlan.Action, _ made: [[UInt8]?]) throws -> [UInt8]? {
            switch action {
            case .link(let source): return local[source.pack].bytes(of: source.content)
            case .done: return progress.complete.contains(number) ? bytes(of: number) : nil
            case .patch: return nil
            case .rebuild(let pieces):
                let begun = bytes(of: number).prefix(Int(progress.begun[number] ?? 0))
                return try pieces.reduce(into: Array(begun)) { result, piece in
                    switch piece {
                    case .local(let source, let offset, let size):
                        result += local[source.pack].bytes(of: source.content)[Int(offset)..<Int(offset + size)]
                    case .made(let content, let offset, let size):
                        // What comes by other ways is there before blocks are.
                        let source =
                            if content == number { result } else if case .rebuild = actions[content] {
                                try #require(made[content], "made later than it is needed")
                            } else { bytes(of: content) }
                        result += source[Int(offset)..<Int(offset + size)]
                    case .stream(let offset, let size):
                        for block in index.archive.blocks(holding: offset..<offset + size)
                        where !plan.blocks.contains(where: { $0.contains(block) }) {
                            throw OutOfBlocks()
                        }
                        result += stream[Int(offset)..<Int(offset + size)]
                    }
                }
            }
        }
    }
}
