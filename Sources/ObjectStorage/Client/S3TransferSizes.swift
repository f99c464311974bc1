// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// From which sizes on files go to a store another way, in bytes. Tests have smaller ones.
package struct S3TransferSizes: Hashable, Sendable {
    /// Files up to that size are sent in one piece.
    package var singlePiece: Int64 = 64 << 20
    /// A part of a larger file, unless there would be too many of them.
    package var part: Int64 = 32 << 20
    /// The largest object that a store copies by itself.
    package var copy: Int64 = 5 << 30

    package init() {}
}
