// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Random numbers that a seed repeats exactly (SplitMix64). The seed of a run is printed; `LARDER_TEST_SEED` sets it.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator for one test, whose seed goes to the log so that a failure can be run again.
    package static func forTest(_ name: String = #function) -> SeededGenerator {
        let given = Environment.current["LARDER_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("\(name): LARDER_TEST_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Random bytes; with `redundancy`, runs repeat so that they compress as real files do.
    package mutating func bytes(_ count: Int, redundancy: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count + 8)
        while result.count < count {
            if redundancy, result.count > 64, next() % 3 == 0 {
                let length = Int.random(in: 8...64, using: &self)
                let start = Int.random(in: 0...(result.count - length), using: &self)
                result.append(contentsOf: Array(result[start..<start + length]))
            } else {
                withUnsafeBytes(of: next()) { result.append(contentsOf: $0) }
            }
        }
        return Array(result.prefix(count))
    }
}
