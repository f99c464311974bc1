// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Something small enough to be in memory whole, as one coded stream with what it resembles as prefix. `docs/formats/pack-patch.md`
/// has the stream.
package enum PrefixedStream {
    /// As few bytes as can be; the same source and prefix give the same.
    /// - Throws: `DeltaError.library` when libzstd is not there.
    package static func encode(_ source: [UInt8], prefix: [UInt8]) throws -> [UInt8] {
        let coder = try StreamCoder()
        return source.withUnsafeBytes { source in
            prefix.withUnsafeBytes { coder.encodeSmallest(source, prefix: $0) }
        }
    }

    /// Undoes `encode`; what it is given may be hostile. Besides the result it takes memory for result and prefix once more at most.
    /// - Parameter size: how many bytes there are to be, which the caller bounds.
    /// - Throws: `DeltaError`
    package static func decode(_ coded: ArraySlice<UInt8>, prefix: [UInt8], size: Int) throws -> [UInt8] {
        let coder = try StreamCoder()
        return try [UInt8](unsafeUninitializedCapacity: size) { target, count in
            try coded.withUnsafeBytes { coded in
                try prefix.withUnsafeBytes {
                    try coder.decode(
                        coded, prefix: $0,
                        into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: target[..<size])))
                }
            }
            count = size
        }
    }
}
