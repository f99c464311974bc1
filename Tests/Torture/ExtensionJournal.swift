// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What `TortureDownloader` wrote down of a round.
struct ExtensionJournal {
    private struct End: Hashable {
        var run: Substring
        var instance: FilmLedger.Instance
    }

    private var ends: [End] = []
    /// What may not be, in words.
    private(set) var violations: [String] = []
    /// Requests it was asked.
    private(set) var questions = 0

    /// Lines that a full disk cut short are left out.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1 else { continue }
            switch words[1] {
            case "asked": questions += 1
            case "violation": violations.append(words.dropFirst(2).joined(separator: " "))
            case "finished", "failed":
                guard words.count == 4 else { continue }
                let instance = FilmLedger.Instance(identifier: String(words[2]), token: String(words[3]))
                ends.append(End(run: words[0], instance: instance))
            default: continue
            }
        }
        findRepeated()
    }

    var instances: Set<FilmLedger.Instance> { Set(ends.map(\.instance)) }
    /// How many ends were told, repetitions included.
    var count: Int { ends.count }

    /// Whoever was told something after an end has said that he heard of that one: it must not come again. The last end that a
    /// run was told may, if it was killed before it could say so.
    private mutating func findRepeated() {
        for (number, end) in ends.enumerated() {
            let later = ends[(number + 1)...]
            guard later.contains(where: { $0.instance == end.instance }) else { continue }
            guard later.first(where: { $0.run == end.run }) != nil else { continue }
            violations.append(
                "the extension was told the end of \(end.instance.identifier) again, which it had heard of")
        }
    }
}
