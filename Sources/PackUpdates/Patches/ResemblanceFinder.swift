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

    private struct Holder {
        let content: Int
        var count: Int
    }

    private let mask: UInt64
    private var holders: [UInt64: Holder] = [:]
    /// How many hashes each content has.
    private var counts: [Int: Int] = [:]

    /// - Parameter size: of all contents that will be added, in bytes.
    init(size: Int64) { mask = ~0 << (size > Self.mostCloselyRead ? 58 : 60) }

    mutating func add(_ content: Int, _ bytes: UnsafeRawBufferPointer) {
        let hashes = hashes(of: bytes)
        counts[content] = hashes.count
        for hash in hashes { holders[hash, default: Holder(content: content, count: 0)].count += 1 }
    }

    /// Contents that share bytes with these, which share most with them first; each shares what those before it do not.
    func contents(sharing bytes: UnsafeRawBufferPointer) -> [Int] {
        let hashes = hashes(of: bytes)
        var shared: [Int: Int] = [:]
        for hash in hashes {
            if let holder = holders[hash], holder.count <= Self.mostHolders { shared[holder.content, default: 0] += 1 }
        }
        let least = hashes.count / Self.leastPart
        return shared.filter { content, count in
            count >= Self.leastShared
                && (count >= least || count >= counts[content, default: 0] / Self.leastPartOfBase)
        }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .prefix(Self.mostBases).map(\.key)
    }

    private func hashes(of bytes: UnsafeRawBufferPointer) -> Set<UInt64> {
        var found: Set<UInt64> = []
        var hash: UInt64 = 0
        ContentChunker.gear.withUnsafeBufferPointer { gear in
            for byte in bytes {
                hash = hash << 1 &+ gear[Int(byte)]
                if hash & mask == 0 { found.insert(hash) }
            }
        }
        return found
    }
}
