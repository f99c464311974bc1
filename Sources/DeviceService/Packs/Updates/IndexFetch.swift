// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP
import Kit
import PackUpdates

/// Fetches of an index what is not known: its front, the parts that list other files than the version before, and the chunks of
/// contents that changed. Blocks.
struct IndexFetch {
    /// Reads an answer, and has each piece taken.
    typealias Reading = (_ transfer: HTTPDownload, _ take: (UnsafeRawBufferPointer) throws -> Bool) throws -> Void

    let file: PackDownload.ListedFile
    let attempt: TransferAttempt
    let permitsHost: HostRule?
    /// How the server is asked: less once it has shown that it does not give as much of this file.
    private var ranges: UpdateFacts.Ranges
    let read: Reading
    /// The whole file, from a server that knows no ranges.
    private(set) var whole: [UInt8]?

    /// The front and all parts, one behind the other, uncompressed: what is kept of them.
    struct Parts {
        let index: PackIndex
        let bytes: [UInt8]
    }

    init(
        _ file: PackDownload.ListedFile, attempt: TransferAttempt, permitsHost: HostRule?, ranges: UpdateFacts.Ranges,
        read: @escaping Reading
    ) {
        self.file = file
        self.attempt = attempt
        self.permitsHost = permitsHost
        self.ranges = ranges
        self.read = read
    }

    // MARK: - Front and parts

    /// - Parameter known: the files of a version that is here.
    /// - Returns: nil when the index is to be fetched whole.
    /// - Throws: `HTTPClientError` for what may pass; `UpdateFetch.Unsuitable` when the whole index would be of no use either.
    mutating func parts(known: () -> IndexForeknowledge?) throws -> Parts? {
        guard let listed = file.front, IndexFront.pays(front: listed.size, size: file.size), ranges != .none,
            let known = known(), !known.isEmpty,
            let bytes = try fetch([0..<listed.size])?.bytes(0..<listed.size), whole == nil,
            let front = try front(bytes[...], listed)
        else { return nil }
        var bodies = front.parts.map(known.body)
        guard let fetched = try fetch(front.ranges(besides: known, from: ranges)), whole == nil else { return nil }
        do {
            for (number, part) in front.parts.enumerated() where bodies[number] == nil {
                guard let stored = fetched.bytes(part.range) else { return nil }
                bodies[number] = try front.body(of: part, stored: stored[...])
            }
            return try Parts(
                index: front.index(of: bodies.compactMap(\.self)), bytes: bytes + bodies.flatMap { $0 ?? [] })
        } catch is PackUpdateError {
            // Whatever is wrong shows in the whole file.
            return nil
        }
    }

    /// What was kept of an earlier attempt; nil when it is not that of this index.
    func parts(kept bytes: [UInt8]) -> Parts? {
        guard let listed = file.front, let front = try? front(bytes[...], listed) else { return nil }
        var rest = bytes.dropFirst(front.size)
        let bodies = front.parts.map { part in
            defer { rest = rest.dropFirst(part.size) }
            return Array(rest.prefix(part.size))
        }
        return (try? front.index(of: bodies)).map { Parts(index: $0, bytes: bytes) }
    }

    private func front(_ bytes: ArraySlice<UInt8>, _ listed: PackDownload.ListedFile.Front) throws(UpdateFetch
        .Unsuitable) -> IndexFront?
    {
        let stands = bytes.prefix(Int(clamping: listed.size))
        guard Int64(stands.count) == listed.size, SHA256.hash(Array(stands)) == listed.digest else { return nil }
        do {
            let front = try IndexFront(decoding: stands)
            return front.size == stands.count && front.fileSize == file.size ? front : nil
        } catch let error as PackUpdateError where error.code == .unknownVersion || error.code == .notIndexable {
            throw UpdateFetch.Unsuitable(why: error.message)
        } catch {
            return nil
        }
    }

    // MARK: - Chunks

    /// The index with the chunks of contents that are put together of blocks.
    /// - Parameters:
    ///   - rebuilt: their numbers.
    ///   - known: the paths of the version that is here, below the pack's contents.
    /// - Returns: nil when the server does not give them.
    /// - Throws: `HTTPClientError` for what may pass.
    mutating func chunks(of rebuilt: Set<Int>, _ index: PackIndex, among known: Set<String>) throws -> PackIndex? {
        guard let pending = index.pendingChunks else { return index }
        let wanted = pending.wanted(for: rebuilt, of: index, among: known, from: ranges)
        guard let fetched = try fetch(wanted.ranges) else { return nil }
        var rows: [Int: ArraySlice<UInt8>] = [:]
        for number in wanted.contents { rows[number] = fetched.bytes(pending.range(of: number)) }
        return try? index.adding(chunkRows: rows)
    }

    // MARK: - Ranges

    /// Ranges of the file.
    struct Fetched {
        /// In order.
        fileprivate var pieces: [(range: Range<Int64>, bytes: [UInt8])] = []

        /// nil for what is not among them.
        func bytes(_ range: Range<Int64>) -> ArraySlice<UInt8>? {
            var (low, high) = (0, pieces.count)
            while low < high {
                let middle = (low + high) / 2
                if pieces[middle].range.upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
            }
            guard low < pieces.count, pieces[low].range.lowerBound <= range.lowerBound else { return nil }
            let piece = pieces[low]
            let bytes = piece.bytes.dropFirst(Int(range.lowerBound - piece.range.lowerBound)).prefix(range.count)
            return bytes.count == range.count ? bytes : nil
        }
    }

    /// - Parameter wanted: in order.
    /// - Returns: nil when the server gives no ranges, or another file by now.
    private mutating func fetch(_ wanted: [Range<Int64>]) throws -> Fetched? {
        var fetched = Fetched()
        var rest = wanted[...]
        while !rest.isEmpty {
            try attempt.checkStop()
            let asked = Array(rest.prefix(ranges.perRequest))
            do {
                guard let pieces = try ask(asked) else {
                    askForFewer(than: asked.count, &rest)
                    continue
                }
                if let whole { return Fetched(pieces: [(0..<file.size, whole)]) }
                fetched.pieces += pieces
                rest = rest.dropFirst(asked.count)
            } catch let error as HTTPClientError where !attempt.isStopped {
                if asked.count > 1, error.mayBeOfSeveralRanges {
                    askForFewer(than: asked.count, &rest)
                } else if error.isTransient {
                    throw error
                } else {
                    return nil
                }
            }
        }
        return fetched
    }

    private mutating func askForFewer(than asked: Int, _ rest: inout ArraySlice<Range<Int64>>) {
        ranges = .fewer(than: asked)
        rest = IndexFront.joined(Array(rest), for: ranges)[...]
    }

    /// - Returns: nil when the answer to several is the whole file.
    private mutating func ask(_ asked: [Range<Int64>]) throws -> [(range: Range<Int64>, bytes: [UInt8])]? {
        var request = HTTPRequest(url: file.url, expectedLength: file.size)
        request.ranges = asked
        request.permitsHost = permitsHost
        return try attempt.fetch(request) { transfer in
            let head = try transfer.waitForHead()
            guard head.status == 206 || asked.count == 1 else { return nil }
            if head.status == 200 {
                var all: [UInt8] = []
                try read(transfer) {
                    all += $0
                    return true
                }
                whole = all
                return []
            }
            var body = try RangedBody(head, request: request)
            var pieces = asked.map { (range: $0, bytes: [UInt8]()) }
            var current = 0
            try read(transfer) { bytes in
                try body.take(bytes) { offset, bytes in
                    while current < pieces.count, offset >= pieces[current].range.upperBound { current += 1 }
                    guard current < pieces.count else { return }
                    pieces[current].bytes += bytes
                }
                return true
            }
            try body.finish()
            return pieces
        }
    }
}
