// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Codes bytes with whatever makes them smallest, and says with what. Working memory of one thread.
final class StreamCoder {
    /// The first byte of a coded stream.
    private enum Coding: UInt8 {
        case stored = 0
        case zstd = 1
        /// Followed by the byte of its properties.
        case lzma = 2
    }

    /// Longer sources are coded with less effort.
    private static let longSource = 512 << 10
    /// Longer sources are judged by pieces of them.
    private static let sampleSize = 32 << 10
    /// LZMA takes ten times as long to undo, so it must save at least one byte of so many: where nobody notices the time, and
    /// elsewhere, where two threads that undo it would take longer than fetching what it saves over some 100 Mbit/s.
    private static let (unnoticedSaving, noticedSaving) = (64, 4)
    /// Properties of LZMA save at most one byte of so many, where they are not the usual ones.
    private static let mostByProperties = 8
    /// As much tells which properties are best.
    private static let propertiesSample = 8 << 10
    private static let estimateLevel: CInt = 1
    private static let finalLevel: CInt = 19
    private static let columnLevel: CInt = 6

    private let zstd: Zstd
    private let memory: CodingMemory

    /// - Parameter memory: what encoders of several threads share.
    init(memory: CodingMemory = CodingMemory()) throws {
        zstd = try Zstd()
        self.memory = memory
    }

    /// About how many bytes `encode` gives.
    func estimate(_ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0)) -> Int
    {
        guard !source.isEmpty else { return 1 }
        return 1 + (quickly(source, prefix)?.count ?? source.count)
    }

    /// Coded bytes, of at most one more than the source.
    /// - Parameter slowBytes: with how many bytes of the kind that is slow to decode nobody notices it.
    func encode(
        _ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0), slowBytes: Int
    ) -> [UInt8] {
        guard !source.isEmpty else { return [Coding.stored.rawValue] }
        let quick = quickly(source, prefix)
        // What hardly gets smaller is media mostly: all the effort in the world saves a thousandth.
        if source.count > 1 << 16, (quick?.count ?? source.count) > source.count - source.count / 64 {
            return quick.map { [Coding.zstd.rawValue] + $0 } ?? [Coding.stored.rawValue] + Array(source)
        }
        let isNoticed = (quick?.count ?? source.count) / 2 > slowBytes
        return slowly(source, prefix, saving: isNoticed ? Self.noticedSaving : Self.unnoticedSaving)
            ?? [Coding.stored.rawValue] + Array(source)
    }

    /// Coded bytes with something as their prefix that they resemble here and there.
    /// - Parameter limit: what the bytes take without.
    /// - Returns: nil when it is no smaller, or would be slow to decode and noticed.
    func encode(_ source: UnsafeRawBufferPointer, resembling prefix: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
        guard source.count <= Self.longSource, !prefix.isEmpty else { return nil }
        return memory.with(source.count + prefix.count) { () -> [UInt8]? in
            LZMA2(properties: .text, effort: .deepChains)
                .compress(source, prefix: prefix, limit: limit - limit / Self.unnoticedSaving)
        }.map { [Coding.lzma.rawValue, LZMA2.Properties.text.byte] + $0 }
    }

    /// Coded bytes of which hardly any two in a row come again: more effort saves next to nothing.
    func encodeColumn(_ source: UnsafeRawBufferPointer) -> [UInt8] {
        zstd.compress(source, level: Self.columnLevel, limit: source.count).map { [Coding.zstd.rawValue] + $0 }
            ?? [Coding.stored.rawValue] + Array(source)
    }

    private func quickly(_ source: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        zstd.compress(source, level: Self.estimateLevel, prefix: prefix, limit: source.count)
    }

    private func slowly(_ source: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer, saving: Int) -> [UInt8]? {
        // A prefix says more than a sample can, so with a short source both are tried in full.
        guard prefix.isEmpty || source.count > Self.longSource else {
            return inBothWays(source, prefix, saving: saving)
        }
        return Self.withSample(of: source) { sample in
            let other = zstd.compress(sample, level: Self.finalLevel, limit: sample.count)
            guard let properties = promising(sample, other?.count ?? sample.count, saving) else {
                let isWhole = sample.count == source.count && prefix.isEmpty
                return isWhole ? other.map { [Coding.zstd.rawValue] + $0 } : byZstd(source, prefix)
            }
            return byLZMA(source, prefix, properties)
        }
    }

    /// Coded bytes of a source that is told by its prefix mostly, however long it takes; of at most one more than the source.
    func encodeSmallest(_ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer) -> [UInt8] {
        guard !source.isEmpty, let coded = inBothWays(source, prefix, saving: Self.unnoticedSaving) else {
            return [Coding.stored.rawValue] + Array(source)
        }
        return coded
    }

    private func inBothWays(
        _ source: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer, saving: Int
    ) -> [UInt8]? {
        let (lzma, other) = (byLZMA(source, prefix, .usual), byZstd(source, prefix))
        guard let lzma, let other else { return lzma ?? other }
        return Self.isWorthIt(lzma: lzma.count, zstd: other.count, saving) ? lzma : other
    }

    private func byZstd(_ source: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        memory.with(source.count + prefix.count) { () -> [UInt8]? in
            zstd.compress(source, level: Self.finalLevel, prefix: prefix, limit: source.count)
        }.map { [Coding.zstd.rawValue] + $0 }
    }

    private func byLZMA(
        _ source: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer, _ properties: LZMA2.Properties
    ) -> [UInt8]? {
        let isLong = prefix.isEmpty && source.count > Self.longSource
        return memory.with(source.count + prefix.count) { () -> [UInt8]? in
            LZMA2(properties: properties, effort: isLong ? .chains : .trees)
                .compress(source, prefix: prefix, limit: source.count)
        }.map { [Coding.lzma.rawValue, properties.byte] + $0 }
    }

    private static func isWorthIt(lzma: Int, zstd: Int, _ saving: Int) -> Bool { lzma + 16 + zstd / saving < zstd }

    /// The properties with which LZMA makes a sample smallest; nil when zstd does as well.
    private func promising(_ sample: UnsafeRawBufferPointer, _ zstd: Int, _ saving: Int) -> LZMA2.Properties? {
        func size(_ properties: LZMA2.Properties, _ part: UnsafeRawBufferPointer) -> Int {
            LZMA2(properties: properties, effort: .chains).compress(part, limit: part.count)?.count ?? part.count
        }
        let usual = size(.usual, sample)
        guard Self.isWorthIt(lzma: usual - usual / Self.mostByProperties, zstd: zstd, saving) else { return nil }
        // Which properties are best shows in less.
        let part = UnsafeRawBufferPointer(rebasing: sample.prefix(Self.propertiesSample))
        let sizes = LZMA2.Properties.all.map { size($0, part) }
        guard let place = sizes.indices.min(by: { sizes[$0] < sizes[$1] }) else { return nil }
        let best = LZMA2.Properties.all[place]
        let all = best == .usual ? usual : size(best, sample)
        return Self.isWorthIt(lzma: min(all, usual), zstd: zstd, saving) ? (all < usual ? best : .usual) : nil
    }

    /// All of a short source, and four pieces of a longer one.
    private static func withSample<Result>(
        of source: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard source.count > sampleSize else { return body(source) }
        let part = sampleSize / 4
        var sample: [UInt8] = []
        sample.reserveCapacity(sampleSize)
        for index in 0..<4 {
            let start = (source.count - part) / 3 * index
            sample += source[start..<start + part]
        }
        return sample.withUnsafeBytes(body)
    }

    /// Undoes `encode`, to exactly as many bytes as `target` has.
    /// - Throws: `DeltaError`
    func decode(
        _ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0),
        into target: UnsafeMutableRawBufferPointer
    ) throws {
        guard let first = source.first, let coding = Coding(rawValue: first) else {
            throw DeltaError.damaged("a stream is coded in an unknown way")
        }
        let rest = UnsafeRawBufferPointer(rebasing: source.dropFirst())
        switch coding {
        case .stored:
            guard rest.count == target.count else { throw DeltaError.damaged("a stored stream has another length") }
            target.copyMemory(from: rest)
        case .zstd: try zstd.decompress(rest, prefix: prefix, into: target)
        case .lzma:
            guard let byte = rest.first, let properties = LZMA2.Properties(byte: byte) else {
                throw DeltaError.damaged("a stream of LZMA2 has impossible properties")
            }
            try LZMA2(properties: properties).decompress(
                UnsafeRawBufferPointer(rebasing: rest.dropFirst()), prefix: prefix, into: target)
        }
    }
}
