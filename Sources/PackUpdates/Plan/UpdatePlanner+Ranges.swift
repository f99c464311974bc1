// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension UpdatePlanner {
    /// How many of a content's first bytes were made already.
    func begun(_ number: Int) -> Int64 {
        min(max(0, facts.progress.begun[number] ?? 0), target.contents[number].size)
    }

    /// The chunks of contents that are there, or will be before any block is fetched.
    func repeatedChunks(givenBy contents: [Int] = []) -> RepeatedChunks {
        var given = RepeatedChunks(local.repeatedChunks)
        guard !given.isEmpty, !contents.isEmpty else { return given }
        // No file is made of what only the pack's manifest holds.
        let unfiled = target.manifestContents
        for content in contents where !unfiled.contains(content) { given.add(content, of: target) }
        return given
    }

    /// The parts of the uncompressed stream that hold what of a content is not there.
    /// - Parameter given: what the version gives itself by then; what this content gives is added.
    func missingParts(of number: Int, _ given: inout RepeatedChunks) -> [Range<Int64>] {
        let content = target.contents[number]
        let start = content.offset + begun(number)
        guard start < content.offset + content.size else { return [] }
        guard !content.chunks.isEmpty else { return [start..<content.offset + content.size] }
        var parts: [Range<Int64>] = []
        var offset = content.offset
        for chunk in target.chunks(of: number) {
            let end = offset + Int64(chunk.size)
            let place = offset - content.offset
            given.add(chunk, at: number, offset: place)
            if end > start, local.place(of: chunk) == nil,
                given.place(of: chunk, wantedAt: number, offset: place) == nil
            {
                let from = max(offset, start)
                if let last = parts.last, last.upperBound == from {
                    parts[parts.count - 1] = last.lowerBound..<end
                } else {
                    parts.append(from..<end)
                }
            }
            offset = end
        }
        return parts
    }

    /// A content's pieces. What is in blocks that are fetched anyway is taken from there: it cannot be damaged.
    /// - Parameter given: what the version gives itself.
    func pieces(of number: Int, fetched: [Range<Int>], _ given: RepeatedChunks) -> [UpdatePlan.Piece] {
        let content = target.contents[number]
        let start = content.offset + begun(number)
        let size = content.offset + content.size - start
        guard size > 0 else { return [] }
        guard !content.chunks.isEmpty else { return [.stream(offset: start, size: size)] }
        var pieces: [UpdatePlan.Piece] = []
        var offset = content.offset
        for chunk in target.chunks(of: number) {
            let end = offset + Int64(chunk.size)
            defer { offset = end }
            guard end > start else { continue }
            let from = max(offset, start)
            let (begun, size) = (from - offset, end - from)
            if isFetched(from..<end, fetched) {
                pieces.append(joining: .stream(offset: from, size: size))
            } else if let place = local.place(of: chunk) {
                pieces.append(joining: .local(place.source, offset: place.offset + begun, size: size))
            } else if let place = given.place(of: chunk, wantedAt: number, offset: offset - content.offset) {
                pieces.append(joining: .made(content: place.content, offset: place.offset + begun, size: size))
            } else {
                pieces.append(joining: .stream(offset: from, size: size))
            }
        }
        return pieces
    }

    private func isFetched(_ part: Range<Int64>, _ fetched: [Range<Int>]) -> Bool {
        let wanted = target.archive.blocks(holding: part)
        var (low, high) = (0, fetched.count)
        while low < high {
            let middle = (low + high) / 2
            if fetched[middle].upperBound <= wanted.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < fetched.count && fetched[low].lowerBound <= wanted.lowerBound
            && wanted.upperBound <= fetched[low].upperBound
    }

    /// The blocks that hold parts of the stream, in order; neighbours are one range, and so are those whose gap costs less
    /// than another request.
    func mergedBlocks(holding parts: [Range<Int64>]) -> [Range<Int>] {
        let wanted = parts.map { target.archive.blocks(holding: $0) }.sorted { $0.lowerBound < $1.lowerBound }
        var result: [Range<Int>] = []
        for range in wanted {
            if let last = result.last,
                range.lowerBound <= last.upperBound
                    || offsets[range.lowerBound] - offsets[last.upperBound] <= costOfRange
            {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Ranges in order, with those joined whose gap costs less than another request.
    func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges {
            if let last = result.last, range.lowerBound - last.upperBound <= costOfRange {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Bytes that are worth a range more.
    private var costOfRange: Int64 {
        switch facts.ranges {
        case .none, .single: facts.costs.request
        case .several(let count): facts.costs.part + facts.costs.request / Int64(max(1, count))
        }
    }

    /// What fetching parts of some files takes.
    func price(_ files: [[Range<Int64>]]) -> (bytes: Int64, requests: Int) {
        var (bytes, requests) = (Int64(0), 0)
        for ranges in files {
            bytes += ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
            switch facts.ranges {
            case .several(let most) where ranges.count > 1:
                bytes += facts.costs.part * Int64(ranges.count)
                requests += (ranges.count + max(1, most) - 1) / max(1, most)
            default: requests += ranges.count
            }
        }
        return (bytes, requests)
    }
}

extension [UpdatePlan.Piece] {
    /// Appends a piece, or makes the last one longer when the two come from one place.
    fileprivate mutating func append(joining piece: UpdatePlan.Piece) {
        switch (last, piece) {
        case (.local(let source, let offset, let size)?, .local(let next, let nextOffset, let nextSize))
        where source == next && offset + size == nextOffset:
            self[count - 1] = .local(source, offset: offset, size: size + nextSize)
        case (.made(let content, let offset, let size)?, .made(let next, let nextOffset, let nextSize))
        where content == next && offset + size == nextOffset:
            self[count - 1] = .made(content: content, offset: offset, size: size + nextSize)
        case (.stream(let offset, let size)?, .stream(let nextOffset, let nextSize)) where offset + size == nextOffset:
            self[count - 1] = .stream(offset: offset, size: size + nextSize)
        default: append(piece)
        }
    }
}
