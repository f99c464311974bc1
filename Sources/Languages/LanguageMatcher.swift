// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Chooses among languages that something is offered in (BA 2.3).
package enum LanguageMatcher {
    /// The language to use: for the first preferred one that has any, the same language or else its nearest regional variant
    /// in the same script; with none, the same of the primary language.
    /// - Parameters:
    ///   - preferred: what a person reads, best first.
    ///   - offered: what there is, in any order; the answer does not depend on it.
    ///   - primary: what the publisher falls back to.
    /// - Returns: one of `offered`, as it stands there; nil when nothing is.
    package static func best(
        for preferred: [LanguageTag], among offered: some Sequence<LanguageTag>, primary: LanguageTag? = nil
    ) -> LanguageTag? {
        let candidates = Set(offered).sorted { $0.description < $1.description }.map { Candidate($0) }
        guard !candidates.isEmpty else { return nil }
        for wanted in preferred + (primary.map { [$0] } ?? []) {
            if let found = nearest(to: wanted, among: candidates) { return found }
        }
        return nil
    }

    private struct Candidate {
        let tag: LanguageTag
        let relatives: [LanguageTag]

        init(_ tag: LanguageTag) {
            self.tag = tag
            relatives = tag.maximized.relatives
        }
    }

    /// The candidate with which the first relative is shared, by way of its own first.
    private static func nearest(to wanted: LanguageTag, among candidates: [Candidate]) -> LanguageTag? {
        for relative in wanted.maximized.relatives {
            let near = candidates.compactMap { candidate in
                candidate.relatives.firstIndex(of: relative).map { (steps: $0, tag: candidate.tag) }
            }
            // The first of equally near ones: candidates are in order.
            if let steps = near.map(\.steps).min() { return near.first { $0.steps == steps }?.tag }
        }
        return nil
    }
}
