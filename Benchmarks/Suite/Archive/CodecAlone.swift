// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import CDeflate
import CLZ4
import CLZFSE
import CLZMA
import Glibc
import Kit

/// The codec libraries, called as directly as can be: block after block from memory to memory, on every core.
enum CodecAlone {
    static var threads: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

    static func compress(_ stream: [UInt8], _ compression: Compression, blockSize: Int) {
        let next = Locked(0)
        let workers = (0..<threads).compactMap { _ in
            try? WorkerThread.start(name: "codec") {
                let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * blockSize, alignment: 16)
                defer { target.deallocate() }
                let encode = encoder(compression)
                stream.withUnsafeBytes { bytes in
                    while true {
                        let start = next.withLock { position in
                            defer { position += blockSize }
                            return position
                        }
                        guard start < bytes.count else { return }
                        let end = min(bytes.count, start + blockSize)
                        _ = encode(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), target)
                    }
                }
            }
        }
        for worker in workers { worker.join() }
    }

    /// Gives the bytes written; 0 when they did not fit.
    typealias Encoder = (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int

    static func encoder(_ compression: Compression) -> Encoder {
        switch compression {
        case .lzfse:
            let scratch = UnsafeMutableRawPointer.allocate(byteCount: lzfse_encode_scratch_size(), alignment: 16)
            return { source, target in
                lzfse_encode_buffer(
                    target.baseAddress?.assumingMemoryBound(to: UInt8.self), target.count,
                    source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, scratch)
            }
        case .zlib:
            let compressor = libdeflate_alloc_compressor(5)
            return { source, target in
                libdeflate_zlib_compress(
                    compressor, source.baseAddress, source.count, target.baseAddress, target.count)
            }
        case .lzma:
            return { source, target in
                var position = 0
                _ = lzma_easy_buffer_encode(
                    6, LZMA_CHECK_NONE, nil, source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count,
                    target.baseAddress?.assumingMemoryBound(to: UInt8.self), &position, target.count)
                return position
            }
        case .lz4:
            return { source, target in
                var position = 0
                for start in stride(from: 0, to: source.count, by: 1 << 16) {
                    let piece = UnsafeRawBufferPointer(rebasing: source[start..<min(source.count, start + 1 << 16)])
                    let room = UnsafeMutableRawBufferPointer(rebasing: target[position...])
                    position += Int(
                        LZ4_compress_default(
                            piece.baseAddress?.assumingMemoryBound(to: CChar.self),
                            room.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(piece.count), CInt(room.count)))
                }
                return position
            }
        case .none:
            return { source, target in
                target.copyMemory(from: source)
                return source.count
            }
        }
    }
}
