// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Finds which of some contents another one has bytes of. A content is known by hashes over 64 bytes that begin with zeros, so that
/// what was put in or taken out changes only those about it. Pure.
struct ResemblanceFinder {
    /// What stands in more contents says nothing of where it is from.
    private static let mostHolders = 4
    /// Fewer hashes in common are chance, or not worth a base.
    private static let leastShared = 6
    /// And so is a smaller part of all, unless it is as large a part of the content that they are from.
    private static let (leastPart, leastPartOfBase) = (32, 4)
    /// The most contents that one is said to be made of.
    private static let mostBases = PatchTable.Format.mostBases
    /// One of 16 hashes counts, and of more than this many bytes, one of 64.
    private static let mostCloselyRead: Int64 = 16 << 20

    /// So many places note which hashes came last.
    private static let recentHashes = 1 << 12

    private let mask: UInt64
    private var marks = HashMarks()
    /// How many hashes each content has.
    private var counts: [Int: Int] = [:]
    /// How often contents were looked for.
    private var queries: Int32 = 0

    /// - Parameter size: of all contents that will be added, in bytes.
    init(size: Int64) { mask = ~0 << (size > Self.mostCloselyRead ? 58 : 60) }

    mutating func add(_ content: Int, _ bytes: UnsafeRawBufferPointer) {
        let number = Int32(truncatingIfNeeded: content)
        var count = 0
        Self.forEachHash(of: bytes, mask) { if marks.add($0, of: number) { count += 1 } }
        counts[content] = count
    }

    /// Contents that share bytes with these, which share most with them first; each shares what those before it do not.
    mutating func contents(sharing bytes: UnsafeRawBufferPointer) -> [Int] {
        var shared: [Int: Int] = [:]
        var count = 0
        queries += 1
        Self.forEachHash(of: bytes, mask) { hash in
            count += 1
            if let mark = marks.mark(of: hash, query: queries), mark.holders <= Self.mostHolders {
                shared[Int(mark.holder), default: 0] += 1
            }
        }
        // What comes again after long counts once more.
        let least = count / Self.leastPart
        return shared.filter { content, count in
            count >= Self.leastShared
                && (count >= least || count >= counts[content, default: 0] / Self.leastPartOfBase)
        }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .prefix(Self.mostBases).map(\.key)
    }

    /// Calls `body` with the hashes that count; with one that comes again soon not again.
    private static func forEachHash(of bytes: UnsafeRawBufferPointer, _ mask: UInt64, _ body: (UInt64) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: recentHashes) { recent in
            recent.initialize(repeating: 0)
            var hash: UInt64 = 0
            ContentChunker.gear.withUnsafeBufferPointer { gear in
                for byte in bytes {
                    hash = hash << 1 &+ gear[Int(byte)]
                    guard hash & mask == 0 else { continue }
                    let slot = Int(truncatingIfNeeded: hash >> 8) & (recentHashes - 1)
                    guard recent[slot] != hash else { continue }
                    recent[slot] = hash
                    body(hash)
                }
            }
        }
    }
}
