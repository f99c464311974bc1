// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import Synchronization

/// Names for requests, each another one: what all of a process have in common, and a number.
final class RequestIdentifiers: Sendable {
    private let prefix = Array((Hexadecimal.encode(Identifier.secret(8)) + "-").utf8)
    private let count = Atomic<UInt64>(0)

    func next() -> String {
        var rest = count.add(1, ordering: .relaxed).newValue
        let length = prefix.count + 16
        return String(unsafeUninitializedCapacity: length) { text in
            _ = text.initialize(fromContentsOf: prefix)
            for place in (prefix.count..<length).reversed() {
                text[place] = Hexadecimal.digit(UInt8(truncatingIfNeeded: rest & 0xF))
                rest >>= 4
            }
            return length
        }
    }
}
