// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Compresses and decompresses whole blocks in memory. One instance serves one thread and keeps its working memory.
protocol BlockCodec: AnyObject {
    /// Compresses `source` into `target`; nil when the result does not fit, and the block is better stored.
    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws -> Int?

    /// Decompresses `source`, which must give exactly `target.count - 1` bytes: the last byte is room to notice more.
    /// - Throws: `CodecFailure`
    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws
}

/// Decompresses a stream that comes in pieces, with memory that does not grow with the stream.
protocol StreamDecoder: AnyObject {
    /// Takes all of `input` and hands out what it gives.
    /// - Throws: `CodecFailure`, or what `output` throws.
    func decode(_ input: UnsafeRawBufferPointer, to output: (UnsafeRawBufferPointer) throws -> Void) throws

    /// Says that no input follows.
    /// - Throws: `CodecFailure.truncated` when the stream is not at its end.
    func finish(to output: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// Why a codec gave up; the reader above adds where.
enum CodecFailure: Error, Equatable {
    /// The compressed bytes are damaged.
    case damaged
    /// The compressed bytes end too early.
    case truncated
    /// There is more or less content than was declared.
    case wrongSize
    /// Decoding would need more memory than the format's own settings do.
    case memory
    /// The library failed to start.
    case library(String)

    /// The second half of a sentence.
    var text: String {
        switch self {
        case .damaged: "is damaged"
        case .truncated: "ends too early"
        case .wrongSize: "does not hold as many bytes as it says"
        case .memory: "needs more memory than is allowed"
        case .library(let what): "could not be decoded: \(what)"
        }
    }
}

/// Blocks that are never compressed (`pbz-`).
final class StoredCodec: BlockCodec {
    func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? { nil }

    func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws {
        throw CodecFailure.damaged
    }
}
