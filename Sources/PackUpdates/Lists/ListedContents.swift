// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit

/// The contents of a list: most are told by their numbers in the base, and those that the patch gives by their sizes only.
struct ListedContents {
    /// What a number says of a content. Those above name a content of the base, by twice its number added.
    private enum Kind {
        /// The content of the base behind the one named last.
        static let next = 0
        /// One that the patch gives; the base's next has its place.
        static let replacesNext = 1
        /// One that the patch gives.
        static let given = 2
        /// One whose digest stands in the list.
        static let listed = 3
        static let numbered = 4
        static let replacesNumbered = 5
    }

    private(set) var sizes: [Int64] = []
    private(set) var digests: [Digest] = []
    /// Those that the patch gives.
    private var given: [Int] = []
    private let sum: Digest

    // MARK: - Reading

    /// - Throws: `PackUpdateError.damagedIndex`, `.notIndexable`
    init(_ reader: inout IndexReader, _ memory: inout IndexMemory, base: PackListBase) throws {
        let count = try reader.count(upTo: PackIndex.Limits.entries, ofAtLeast: 1)
        try memory.add(count, .content)
        let most = Int64(base.contents.count) * 2 + Int64(Kind.numbered)
        let kinds = try (0..<count).map { _ in Int(try reader.number(upTo: most)) }
        // Of each the content of the base that it is, or in whose place it is.
        var next = 0
        let places = try kinds.map { kind -> Int? in
            if kind == Kind.given || kind == Kind.listed { return nil }
            let place = kind < Kind.numbered ? next : (kind - Kind.numbered) / 2
            guard base.contents.indices.contains(place) else {
                throw PackIndex.damaged("it names a content that the version before has not")
            }
            next = place + 1
            return place
        }
        let isGiven = kinds.map { kind in
            kind == Kind.given || kind != Kind.listed && kind % 2 == Kind.replacesNext
        }
        sizes = try kinds.indices.map { number in
            let size = places[number].map { base.contents[$0].size }
            guard isGiven[number] || kinds[number] == Kind.listed else { return size ?? 0 }
            guard let size else { return try reader.size() }
            let (found, isOver) = size.addingReportingOverflow(
                try reader.signedNumber(upTo: PackIndex.Limits.size))
            guard !isOver, (0...PackIndex.Limits.size).contains(found) else {
                throw PackIndex.damaged("a content has a size that none has")
            }
            return found
        }
        given = kinds.indices.filter { isGiven[$0] }
        let listed = try kinds.indices.map { kinds[$0] == Kind.listed ? try reader.digest() : nil }
        let sum = try reader.digest()
        self.sum = sum
        digests = kinds.indices.map { number in
            if let digest = listed[number] { return digest }
            if !isGiven[number], let place = places[number] { return base.contents[place].digest }
            return PackIndex.Unnamed.placeholder(number, of: sum)
        }
    }

    /// What is known of those that the patch gives. What only the pack's manifest has no device makes.
    func unnamed(_ entries: [PackIndex.Entry]) -> PackIndex.Unnamed {
        let manifest = PackIndex.manifestContents(of: entries)
        return PackIndex.Unnamed(contents: given.filter { !manifest.contains($0) }, digest: sum)
    }

    // MARK: - Making

    static func encode(_ index: PackIndex, from old: PackIndex, base: PackListBase) -> [UInt8] {
        let numbers = base.numbers
        let relations = ContentRelations(from: old, to: index)
        let manifest = index.manifestContents
        var (kinds, sizes, digests): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var hash = SHA256()
        var next = 0
        for (number, content) in index.contents.enumerated() {
            if let place = numbers[content.digest] {
                kinds.append(number: place == next ? Kind.next : Kind.numbered + 2 * place)
                next = place + 1
            } else if relations.isChanged(number) || manifest.contains(number) {
                if !manifest.contains(number) { hash.update(content.digest.bytes) }
                guard let place = relations.oldAtPath(of: number).flatMap({ numbers[old.contents[$0].digest] }) else {
                    kinds.append(number: Kind.given)
                    sizes.append(number: content.size)
                    continue
                }
                kinds.append(number: place == next ? Kind.replacesNext : Kind.replacesNumbered + 2 * place)
                sizes.append(signedNumber: content.size - base.contents[place].size)
                next = place + 1
            } else {
                kinds.append(number: Kind.listed)
                sizes.append(number: content.size)
                digests += content.digest.bytes
            }
        }
        var body: [UInt8] = []
        body.append(number: index.contents.count)
        return body + kinds + sizes + digests + hash.finish().bytes
    }
}
