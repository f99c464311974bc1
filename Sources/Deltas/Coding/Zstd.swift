// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CZstdShim
import Kit

/// libzstd's working memory, of one thread.
final class Zstd {
    private let state: OpaquePointer

    /// - Throws: `DeltaError.library` when libzstd is not there.
    init() throws {
        if let problem = larder_zstd_load() {
            throw DeltaError(
                .library, "libzstd cannot be loaded (\(String(cString: problem))); install the package libzstd1.")
        }
        guard let state = larder_zstd_create() else {
            throw DeltaError(.library, "libzstd has no memory; free some and try again.")
        }
        self.state = state
    }

    deinit { larder_zstd_free(state) }

    /// - Parameter prefix: what the source likely resembles; empty for nothing.
    /// - Returns: nil when the result would not be smaller than `limit` bytes.
    func compress(
        _ source: UnsafeRawBufferPointer, level: CInt, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0),
        limit: Int
    ) -> [UInt8]? {
        let capacity = min(limit, larder_zstd_bound(source.count))
        guard capacity > 0 else { return nil }
        let result = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
            count = larder_zstd_compress(
                level, prefix.baseAddress, prefix.count, source.baseAddress, source.count, target.baseAddress,
                capacity)
        }
        return result.isEmpty || result.count >= limit ? nil : result
    }

    /// Decompresses to exactly as many bytes as `target` has.
    /// - Throws: `DeltaError.damaged`
    func decompress(
        _ source: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer = .init(start: nil, count: 0),
        into target: UnsafeMutableRawBufferPointer
    ) throws {
        guard
            larder_zstd_decompress(
                state, prefix.baseAddress, prefix.count, source.baseAddress, source.count, target.baseAddress,
                target.count) == 0
        else { throw DeltaError.damaged("a stream of zstd is not what it should be") }
    }
}
