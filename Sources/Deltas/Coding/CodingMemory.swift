// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// How much memory the best coders of all threads may take at a time: they take a dozen times what they code.
package final class CodingMemory: Sendable {
    private static let perByte = 12
    /// In bytes. One coder may always run.
    private static let limit = 208 << 20

    private let used = Monitor(0)

    package init() {}

    /// Waits until there is memory to code `size` bytes, and codes.
    func with<Result>(_ size: Int, _ body: () -> Result) -> Result {
        let amount = size * Self.perByte
        used.wait { used -> Void? in
            guard used == 0 || used + amount <= Self.limit else { return nil }
            used += amount
            return ()
        }
        defer { used.withLock { $0 -= amount } }
        return body()
    }
}
