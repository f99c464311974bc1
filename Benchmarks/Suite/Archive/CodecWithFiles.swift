// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// What packing takes at least, when the bytes come from files and go to one: known files are read block by block,
/// compressed with the codec library alone and written in order, on every core. Nothing is looked for, checked or laid
/// out, and what is written cannot be read again.
struct CodecWithFiles {
    private struct Part {
        var file: FilePath
        var offset: Int64
        var count: Int
    }

    private let blocks: [[Part]]
    private let blockSize: Int

    /// Finds the files below a folder and cuts their contents, one behind the other, into blocks.
    init(folder: FilePath, blockSize: Int) throws {
        var blocks: [[Part]] = []
        var room = 0
        for file in try Self.files(below: folder).sorted(by: { $0.string < $1.string }) {
            let size = try FileDescriptor.currentDirectory.status(at: file).size
            var offset: Int64 = 0
            while offset < size {
                if room == 0 {
                    blocks.append([])
                    room = blockSize
                }
                let count = min(room, Int(size - offset))
                blocks[blocks.count - 1].append(Part(file: file, offset: offset, count: count))
                offset += Int64(count)
                room -= count
            }
        }
        self.blocks = blocks
        self.blockSize = blockSize
    }

    private static func files(below folder: FilePath) throws -> [FilePath] {
        try FileDescriptor.currentDirectory.entries(at: folder).flatMap { entry in
            let path = folder.appending(entry.name)
            return entry.kind == .directory ? try files(below: path) : [path]
        }
    }

    /// Reads, compresses and writes everything once.
    func compress(_ compression: Compression, to target: FilePath) throws {
        let output = try OwnedDescriptor(target, .writeOnly, options: [.create, .truncate], permissions: .fileDefault)
        let number = output.borrowed
        let next = Locked(0)
        // The block that is to be written now.
        let turn = Monitor(0)
        let failure = Locked<(any Error)?>(nil)
        let workers = try (0..<CodecAlone.threads).map { _ in
            try WorkerThread.start(name: "codec-files") {
                let content = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
                let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * blockSize, alignment: 16)
                defer {
                    content.deallocate()
                    packed.deallocate()
                }
                let encode = CodecAlone.encoder(compression)
                while true {
                    let block = next.withLock { block in
                        defer { block += 1 }
                        return block
                    }
                    guard block < blocks.count else { return }
                    do {
                        let size = try Self.read(blocks[block], into: content)
                        let count = encode(UnsafeRawBufferPointer(rebasing: content[..<size]), packed)
                        _ = turn.wait { $0 == block ? true : nil }
                        try number.writeFully(UnsafeRawBufferPointer(rebasing: packed[..<count]))
                    } catch {
                        failure.withLock { $0 = error }
                        _ = turn.wait { $0 == block ? true : nil }
                    }
                    turn.withLock { $0 += 1 }
                }
            }
        }
        for worker in workers { worker.join() }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private static func read(_ parts: [Part], into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var size = 0
        for part in parts {
            let file = try OwnedDescriptor(part.file, .readOnly)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[size..<(size + part.count)])
            guard try file.borrowed.read(fromAbsoluteOffset: part.offset, into: room) == part.count else {
                throw BenchmarkError("\(part.file) changed")
            }
            size += part.count
        }
        return size
    }
}
