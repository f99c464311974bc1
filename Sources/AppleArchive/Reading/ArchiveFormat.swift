// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What a file's first bytes say it is.
enum ArchiveFormat: Hashable {
    /// `pbz` and a letter: blocks (AA 2).
    case blocks(BlockAlgorithm)
    /// Entries without a wrapper.
    case bare
    /// One compressed stream around the entries.
    case xz, gzip, zlib, lzfse, lz4, lzbitmap

    /// How many bytes tell every format apart.
    static let prefixSize = 6

    /// - Parameter prefix: the first bytes; fewer than `prefixSize` only when the file has no more.
    /// - Throws: `ArchiveError` that names what the file is when it cannot be read.
    init(_ prefix: [UInt8]) throws {
        func begins(_ text: String) -> Bool { prefix.starts(with: text.utf8) }
        if begins("pbz"), prefix.count > 3 {
            self = .blocks(BlockAlgorithm(rawValue: prefix[3]))
        } else if begins("AA01") || begins("YAA1") {
            self = .bare
        } else if begins("AEA1") {
            throw ArchiveError(
                .encrypted,
                "This is an Apple Encrypted Archive (AEA1), encrypted or signed; decrypt it with Apple's aea tool first."
            )
        } else if prefix.starts(with: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) {
            self = .xz
        } else if prefix.starts(with: [0x1f, 0x8b]) {
            self = .gzip
        } else if begins("bvx1") || begins("bvx2") || begins("bvxn") || begins("bvx-") || begins("bvx$") {
            self = .lzfse
        } else if begins("bv41") || begins("bv4-") || begins("bv4$") {
            self = .lz4
        } else if prefix.starts(with: LZBitmapChunk.magic) {
            self = .lzbitmap
        } else if prefix.withUnsafeBytes(ZlibCodec.hasZlibHead) {
            self = .zlib
        } else if let other = Self.foreignName(prefix) {
            throw ArchiveError(.notAnArchive, "This is \(other), not an Apple Archive.")
        } else {
            throw ArchiveError(.notAnArchive, "This is not an Apple Archive: nothing at its start says so.")
        }
    }

    private static func foreignName(_ prefix: [UInt8]) -> String? {
        let known: [(String, String)] = [
            ("BZh", "a bzip2 stream, which is not read here"), ("PK", "a zip archive"), ("xar!", "a xar archive"),
        ]
        if prefix.isEmpty { return "an empty file" }
        return known.first { prefix.starts(with: $0.0.utf8) }?.1
    }

    func makeStreamDecoder() -> (any StreamDecoder)? {
        switch self {
        case .blocks, .bare: nil
        case .xz: XZStreamDecoder()
        case .gzip: InflateStreamDecoder(format: .gzip)
        case .zlib: InflateStreamDecoder(format: .zlibOrRaw)
        case .lzfse: LZFSEStreamDecoder()
        case .lz4: LZ4StreamDecoder()
        case .lzbitmap: LZBitmapStreamDecoder()
        }
    }
}
