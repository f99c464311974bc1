// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The base of a delta, of which any range can be read.
package protocol DeltaSource {
    /// In bytes.
    var size: Int { get }

    /// Fills `target` with the bytes from `offset` on; both lie within the base.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws
}

/// A base in memory.
package struct DeltaMemorySource: DeltaSource {
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter bytes: must outlive the source.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var size: Int { bytes.count }

    package func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + target.count]))
    }
}
