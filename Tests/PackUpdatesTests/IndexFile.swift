// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

@testable import PackUpdates

/// An index's file put together by hand, uncompressed, so that it can say what nobody would write.
struct IndexFile {
    /// The front up to its entries: the archive.
    var archive: [UInt8]
    var kinds: [UInt8]
    /// As they stand in the file, folded.
    var gaps: [UInt8]
    /// From their number on.
    var contents: [UInt8]
    /// Of each part how many entries it has, and its bytes.
    var parts: [(entries: Int, body: [UInt8])]
    var chunks: [UInt8] = []

    var bytes: [UInt8] {
        var body = archive
        body.append(number: kinds.count)
        body += kinds + gaps + contents
        body.append(number: parts.count)
        for part in parts {
            body.append(number: part.entries)
            body.append(number: part.body.count)
            body.append(number: part.body.count)
            body += VersionMark(SHA256.hash(part.body)).bytes
        }
        let all = parts.flatMap(\.body)
        return Self.head(body.count) + body + SHA256.hash(all).bytes + all + chunks
    }

    /// The head of a front of so many bytes without the digest at its end.
    static func head(_ count: Int) -> [UInt8] {
        var head = PackIndex.magic
        head.append(littleEndian: PackIndex.version)
        head.append(littleEndian: UInt32(count + Digest.byteCount))
        head.append(littleEndian: UInt32(count + Digest.byteCount))
        return head
    }
}
