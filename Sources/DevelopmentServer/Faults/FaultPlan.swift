// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The rules in force, and how often each has been used. The same seed and requests give the same faults.
package struct FaultPlan: Sendable {
    private var rules: [(rule: FaultRule, used: Int)]
    private var random: SeededGenerator

    package init(_ rules: [FaultRule], seed: UInt64 = 0) {
        self.rules = rules.map { ($0, 0) }
        random = SeededGenerator(state: seed)
    }

    /// The first rule that wants this request; counts it as used.
    /// - Parameter isHead: a request without a body only gets faults that concern the head.
    package mutating func fault(for resource: FaultResource, isHead: Bool = false) -> FaultRule.Kind? {
        for (index, entry) in rules.enumerated() {
            guard entry.rule.target.matches(resource), entry.rule.times.map({ entry.used < $0 }) ?? true,
                !isHead || entry.rule.kind.concernsHead
            else { continue }
            if entry.rule.probability < 1, Double.random(in: 0..<1, using: &random) >= entry.rule.probability {
                continue
            }
            rules[index].used += 1
            return entry.rule.kind
        }
        return nil
    }
}

extension FaultRule.Kind {
    var concernsHead: Bool {
        switch self {
        case .status, .redirect: true
        default: false
        }
    }
}

/// SplitMix64: the same numbers for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
