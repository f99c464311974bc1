// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension ByteSize {
    /// The option's value within bounds.
    /// - Throws: `UsageError`
    static func value(_ name: String, _ arguments: ParsedArguments, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = arguments.value(name) else { return nil }
        guard let size = parse(text) else {
            throw UsageError("--\(name) needs a size such as 4m, 1MiB or 65536, not \"\(text)\".")
        }
        guard range.contains(size) else {
            throw UsageError(
                "--\(name) must be from \(binary(range.lowerBound)) to \(binary(range.upperBound)), not \"\(text)\".")
        }
        return size
    }

    private static func binary(_ size: Int) -> String {
        size.isMultiple(of: 1 << 20) ? "\(size >> 20) MiB" : "\(size >> 10) KiB"
    }
}
