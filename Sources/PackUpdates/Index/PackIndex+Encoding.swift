// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension PackIndex {
    static let magic = Array("LRDRINDX".utf8)
    static let version: UInt32 = 2

    /// The numbers that stand for kinds of entries.
    enum KindNumber {
        static let file: UInt8 = 0
        static let executable: UInt8 = 1
        static let link: UInt8 = 2
        static let folder: UInt8 = 3

        static func isFile(_ number: UInt8) -> Bool { number == file || number == executable }
    }

    /// The file's bytes; the same index gives the same.
    /// - Parameter compressed: whether what is smaller then is compressed.
    /// - Throws: `ArchiveError.inputOutput` when there is no memory to compress it; `PackUpdateError.damagedIndex` when chunks are
    ///   pending.
    package func encoded(compressed: Bool = true) throws -> [UInt8] {
        guard pendingChunks == nil else { throw Self.damaged("its chunks are not known") }
        return try IndexDraft(self).encoded(compressed: compressed)
    }
}

extension PackIndex.Entry.Kind {
    /// As it stands in the file.
    var number: UInt8 {
        switch self {
        case .file(_, _, let isExecutable):
            isExecutable ? PackIndex.KindNumber.executable : PackIndex.KindNumber.file
        case .link: PackIndex.KindNumber.link
        case .folder: PackIndex.KindNumber.folder
        }
    }
}

extension [UInt8] {
    /// A number that is not negative, seven bits a byte, the lowest first (LEB128).
    mutating func append(number: some FixedWidthInteger) {
        var rest = UInt64(truncatingIfNeeded: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// A number folded: 2n, or -2n - 1 below 0.
    mutating func append(signedNumber number: Int64) {
        append(number: UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// How many bytes a path shares with the one before, how many follow, and these.
    mutating func append(path: [UInt8], behind previous: [UInt8]) {
        let shared = zip(previous, path).prefix { $0 == $1 }.count
        append(number: shared)
        append(number: path.count - shared)
        self += path[shared...]
    }

    mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
