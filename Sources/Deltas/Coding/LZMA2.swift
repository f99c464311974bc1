// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLZMA
import Kit

/// Bare LZMA2, with or without a prefix. Slower than zstd both ways, and smaller on most data.
struct LZMA2 {
    /// How bits before, position and alignment choose the models: lc, lp and pb.
    struct Properties: Hashable {
        let literalContext: UInt32
        let literalPosition: UInt32
        let position: UInt32

        static let usual = Properties(literalContext: 3, literalPosition: 0, position: 2)

        /// Without alignment.
        static let text = Properties(literalContext: 3, literalPosition: 0, position: 0)

        static let all = [
            usual, text,
            Properties(literalContext: 0, literalPosition: 2, position: 2),
            Properties(literalContext: 3, literalPosition: 1, position: 1),
        ]

        var byte: UInt8 { UInt8(truncatingIfNeeded: (position * 5 + literalPosition) * 9 + literalContext) }

        init(literalContext: UInt32, literalPosition: UInt32, position: UInt32) {
            self.literalContext = literalContext
            self.literalPosition = literalPosition
            self.position = position
        }

        /// nil for a byte that LZMA2 does not allow.
        init?(byte: UInt8) {
            guard byte < 225 else { return nil }
            let byte = UInt32(byte)
            self.init(literalContext: byte % 9, literalPosition: byte / 9 % 5, position: byte / 45)
            guard literalContext + literalPosition <= 4 else { return nil }
        }
    }

    /// How hard matches are looked for.
    enum Effort {
        /// In trees, as the program xz does by default.
        case trees
        /// In short chains, in half the time: what repeats itself at length is gone from a delta's streams already, and what is
        /// left becomes 0.5 % larger.
        case chains
        /// In longer chains: for a little that is likely somewhere in a long prefix, which chains take on at once.
        case deepChains
    }

    let properties: Properties
    var effort = Effort.trees

    /// - Returns: nil when the result would not be smaller than `limit` bytes.
    func compress(
        _ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0), limit: Int
    ) -> [UInt8]? {
        guard limit > 0 else { return nil }
        let result = [UInt8](unsafeUninitializedCapacity: limit) { target, count in
            guard
                withFilters(
                    prefix: prefix, size: source.count,
                    { filters in
                        lzma_raw_buffer_encode(
                            filters, nil, source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count,
                            target.baseAddress, &count, limit)
                    }) == LZMA_OK
            else {
                count = 0
                return
            }
        }
        return result.isEmpty || result.count >= limit ? nil : result
    }

    /// Decompresses to exactly as many bytes as `target` has.
    /// - Throws: `DeltaError`
    func decompress(
        _ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0),
        into target: UnsafeMutableRawBufferPointer
    ) throws {
        var taken = 0
        var given = 0
        let result = withFilters(prefix: prefix, size: target.count) { filters in
            lzma_raw_buffer_decode(
                filters, nil, source.baseAddress?.assumingMemoryBound(to: UInt8.self), &taken, source.count,
                target.baseAddress?.assumingMemoryBound(to: UInt8.self), &given, target.count)
        }
        guard result != LZMA_MEM_ERROR else {
            throw DeltaError(.library, "liblzma has no memory; free some and try again.")
        }
        guard result == LZMA_OK, given == target.count else {
            throw DeltaError.damaged("a stream of LZMA2 is not what it should be")
        }
    }

    private func withFilters(
        prefix: UnsafeRawBufferPointer, size: Int, _ body: (UnsafePointer<lzma_filter>) -> lzma_ret
    ) -> lzma_ret {
        var options = lzma_options_lzma()
        // True means that the preset is not known.
        guard lzma_lzma_preset(&options, 6) == 0 else { return LZMA_OPTIONS_ERROR }
        options.lc = properties.literalContext
        options.lp = properties.literalPosition
        options.pb = properties.position
        if effort != .trees {
            options.mf = LZMA_MF_HC4
            (options.nice_len, options.depth) = effort == .chains ? (24, 6) : (24, 48)
        }
        options.dict_size = UInt32(clamping: max(4096, prefix.count + size))
        options.preset_dict = prefix.baseAddress?.assumingMemoryBound(to: UInt8.self)
        options.preset_dict_size = UInt32(clamping: prefix.count)
        return withUnsafeMutablePointer(to: &options) { options in
            let filters = [
                lzma_filter(id: 0x21, options: UnsafeMutableRawPointer(options)),
                lzma_filter(id: UInt64.max, options: nil),
            ]
            return filters.withUnsafeBufferPointer { list in
                list.baseAddress.map(body) ?? LZMA_PROG_ERROR
            }
        }
    }
}
