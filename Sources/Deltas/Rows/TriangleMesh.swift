// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Meshes of triangles in binary STL: a head, how many triangles, and 50 bytes for each.
package enum TriangleMesh {
    /// With fewer triangles there is nothing to gain.
    private static let fewest = 64
    private static let headSize = 80

    /// Where in a content its triangles stand; nil when it is no such mesh.
    package static func triangles(of content: UnsafeRawBufferPointer) -> Range<Int>? {
        let start = headSize + 4
        guard content.count >= start + fewest * RowLayout.triangles.size else { return nil }
        let count = Int(UInt32(littleEndian: content.loadUnaligned(fromByteOffset: headSize, as: UInt32.self)))
        return content.count == start + count * RowLayout.triangles.size ? start..<content.count : nil
    }
}
