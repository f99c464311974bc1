// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Bytes that somebody else keeps in memory for as long as the holder lives, and that this process only reads.
// Safe: nothing in this process writes them; the counter, which the service does write, is read atomically.
struct BorrowedBytes: @unchecked Sendable {
    let buffer: UnsafeRawBufferPointer
}
