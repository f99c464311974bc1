// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A digest of a file that a broken-off download can go on with: SHA-256 over the SHA-256 digests of its 1 MiB spans.
///
/// The last span may be shorter; an empty file has no span, so its digest is that of no bytes. What must survive an
/// interruption is only `leaves`, 32 bytes per MiB: the download goes on at `leaves.boundary`.
package struct TreeDigest: Sendable {
    /// The algorithm's name in manifests.
    package static let algorithm = "sha256-tree-1m"
    /// Bytes per span.
    package static let spanSize = 1 << 20

    /// The digests of the whole spans seen so far; all there is to a tree digest at a span's boundary.
    package struct Leaves: Hashable, Sendable {
        /// 32 bytes for each span.
        package private(set) var bytes: [UInt8]

        package init() { bytes = [] }

        /// nil unless `bytes` is a whole number of digests.
        package init?(bytes: [UInt8]) {
            guard bytes.count.isMultiple(of: Digest.byteCount) else { return nil }
            self.bytes = bytes
        }

        /// How many spans there are.
        package var count: Int { bytes.count / Digest.byteCount }

        /// Where the next byte belongs, counted from the file's start.
        package var boundary: Int64 { Int64(count) * Int64(TreeDigest.spanSize) }

        /// The leaves of the whole spans before `offset`: what holds when the file is only known up to there.
        package func truncated(to offset: Int64) -> Leaves {
            let kept = max(0, min(Int64(count), offset / Int64(TreeDigest.spanSize)))
            var copy = self
            copy.bytes.removeLast(bytes.count - Int(kept) * Digest.byteCount)
            return copy
        }

        fileprivate mutating func append(_ digest: Digest) { bytes += digest.bytes }
    }

    /// Whole spans so far.
    package private(set) var leaves: Leaves
    private var span = SHA256()
    private var spanLength = 0

    /// Starts at the first byte, or goes on behind the spans of `leaves`.
    package init(resuming leaves: Leaves = Leaves()) { self.leaves = leaves }

    /// How many bytes of the file have been fed, those before a resumption included.
    package var length: Int64 { leaves.boundary + Int64(spanLength) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(TreeDigest.spanSize - spanLength)
            span.update(UnsafeRawBufferPointer(rebasing: piece))
            spanLength += piece.count
            rest = rest.dropFirst(piece.count)
            if spanLength == TreeDigest.spanSize {
                leaves.append(span.finishAndReset())
                spanLength = 0
            }
        }
    }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of everything fed so far; feeding may go on afterwards.
    package func finish() -> Digest {
        var root = SHA256()
        root.update(leaves.bytes)
        if spanLength > 0 { root.update(span.finish().bytes) }
        return root.finish()
    }

    /// The digest of bytes at hand.
    package static func hash(_ bytes: [UInt8]) -> Digest {
        var digest = TreeDigest()
        digest.update(bytes)
        return digest.finish()
    }
}
