// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What a campaign counts.
final class Tally: Sendable {
    private let counts = Locked<[String: Int]>([:])
    private let found = Locked<[String]>([])

    func count(_ what: String, _ number: Double) { count(what, Int(number)) }

    func count(_ what: String, _ number: Int = 1) { counts.withLock { $0[what, default: 0] += number } }

    func violation(_ what: String) {
        let isNew = found.withLock { found in
            if found.contains(what) { return false }
            found.append(what)
            return true
        }
        if isNew { say("VIOLATION \(what)") }
    }

    var violations: [String] { found.withLock { $0 } }

    /// Counts, one a line; times, which are counted in milliseconds, in seconds.
    var summary: String {
        let lines = counts.withLock { $0 }.sorted { $0.key < $1.key }.map { name, count in
            "  \(name): \(name.hasPrefix("seconds") ? count / 1000 : count)"
        }
        return (lines + ["  violations: \(violations.count)"]).joined(separator: "\n")
    }
}

/// Something that may not be.
struct Violation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One line at once, also into a pipe.
func say(_ line: String) { _ = try? FileDescriptor.standardOutput.writeAll("\(line)\n".utf8) }
