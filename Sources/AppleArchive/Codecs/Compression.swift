// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// How a writer compresses the blocks of an archive.
package enum Compression: String, CaseIterable, Sendable, Codable {
    case lzfse, lzma, zlib, lz4
    /// A bare stream of entries, without blocks, as Apple's `aa -a raw` writes.
    case none

    /// The letter behind `pbz`; nil for an archive without blocks.
    package var letter: UInt8? { algorithm?.rawValue }

    var algorithm: BlockAlgorithm? {
        switch self {
        case .lzfse: .lzfse
        case .lzma: .lzma
        case .zlib: .zlib
        case .lz4: .lz4
        case .none: nil
        }
    }
}

/// The letter after `pbz` in a block wrapper: what its blocks are compressed with (AA 2).
struct BlockAlgorithm: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    static let lzfse = BlockAlgorithm(rawValue: UInt8(ascii: "e"))
    static let lzma = BlockAlgorithm(rawValue: UInt8(ascii: "x"))
    static let zlib = BlockAlgorithm(rawValue: UInt8(ascii: "z"))
    static let lz4 = BlockAlgorithm(rawValue: UInt8(ascii: "4"))
    static let lzbitmap = BlockAlgorithm(rawValue: UInt8(ascii: "b"))
    static let lzvn = BlockAlgorithm(rawValue: UInt8(ascii: "f"))
    static let lzraven = BlockAlgorithm(rawValue: UInt8(ascii: "m"))
    /// Every block is stored; tolerated on reading, never written.
    static let stored = BlockAlgorithm(rawValue: UInt8(ascii: "-"))

    /// The compression's name; nil for a letter no source lists.
    var name: String? {
        switch self {
        case .lzfse: "LZFSE"
        case .lzma: "LZMA"
        case .zlib: "zlib"
        case .lz4: "LZ4"
        case .lzbitmap: "LZBITMAP"
        case .lzvn: "LZVN"
        case .lzraven: "LZRAVEN"
        case .stored: "stored"
        default: nil
        }
    }

    /// A decoder and encoder for one thread's use.
    /// - Throws: `ArchiveError.unsupportedCompression`, by name.
    func makeCodec() throws -> any BlockCodec {
        switch self {
        case .lzfse: return LZFSECodec()
        case .lzvn: return LZVNCodec()
        case .lzma: return LZMACodec()
        case .zlib: return ZlibCodec()
        case .lz4: return LZ4Codec()
        case .lzbitmap: return LZBitmapCodec()
        case .stored: return StoredCodec()
        default: throw unsupported
        }
    }

    /// A decoder that takes a block of any size in pieces, for blocks too large to hold.
    func makeStreamDecoder() throws -> any StreamDecoder {
        switch self {
        case .lzfse: return LZFSEStreamDecoder()
        case .lzma: return XZStreamDecoder()
        case .zlib: return InflateStreamDecoder(format: .zlibOrRaw)
        case .lz4: return LZ4StreamDecoder()
        case .lzbitmap: return LZBitmapStreamDecoder()
        case .lzvn:
            throw ArchiveError(
                .unsupportedCompression,
                "The archive has an LZVN block too large to be held in memory, which cannot be read here; compress it in "
                    + "smaller blocks.")
        default: throw unsupported
        }
    }

    var unsupported: ArchiveError {
        let letter = ArchivePath.display([rawValue])
        let what = name ?? "the unknown compression \(letter)"
        return ArchiveError(
            .unsupportedCompression,
            "The archive is compressed with \(what), which cannot be read here; compress it with LZFSE, LZMA, zlib or LZ4."
        )
    }
}
