// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

/// Bytes on their way into a digest, which another thread takes. They must stay where they are meanwhile.
final class BytesToHash {
    private let bytes: UnsafeRawBufferPointer
    private(set) var hasher: SHA256

    init(_ bytes: UnsafeRawBufferPointer, _ hasher: SHA256) {
        self.bytes = bytes
        self.hasher = hasher
    }

    func hash() { hasher.update(bytes) }
}
