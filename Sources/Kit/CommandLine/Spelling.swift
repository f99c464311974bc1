// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Finds the name that was probably meant.
package enum Spelling {
    /// The nearest of `candidates`, nil when none is near: at most a third of the letters wrong, or a clear beginning.
    package static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let word = word.lowercased()
        guard !word.isEmpty else { return nil }
        let limit = max(1, word.count / 3)
        let ranked = candidates.map { (name: $0, distance: distance(word, $0.lowercased())) }
        if let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }), best.distance <= limit {
            return best.name
        }
        return word.count >= 3 ? ranked.map(\.name).sorted().first { $0.lowercased().hasPrefix(word) } : nil
    }

    /// Edits from one word to the other, where swapping neighbours counts as one (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left.prefix(64)), Array(right.prefix(64)))
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                let change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var best = min(change, rows[i - 1][j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
