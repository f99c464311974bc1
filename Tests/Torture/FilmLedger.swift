// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What is known of a round's unmanaged downloads.
struct FilmLedger {
    /// One object that was scheduled.
    struct Instance: Hashable {
        var identifier: String
        /// `BADownload.uniqueIdentifier`.
        var token: String
    }

    /// Those that the app scheduled and did not cancel, and those whose failure it was told, by identifier.
    var scheduled: Set<String> = []
    var failed: Set<String> = []
    /// Those that the service listed, in the order in which they were first seen.
    private(set) var seen: [Instance] = []
    /// Identifiers of those whose files the service says to have purged.
    var purged: Set<String> = []
    /// An answer that would have said what was purged did not come.
    var maySomethingBePurged = false

    mutating func see(_ instances: [Instance]) {
        for instance in instances where !seen.contains(instance) { seen.append(instance) }
    }

    /// Those whose end was told to nobody though nothing excuses it: another that bears the same identifier came after it
    /// and took its place, or its file was purged first.
    /// - Parameter ended: those whose end was told.
    func untold(_ ended: Set<Instance>) -> [Instance] {
        if maySomethingBePurged { return [] }
        return seen.enumerated().filter { number, instance in
            !ended.contains(instance) && !purged.contains(instance.identifier)
                && !seen[(number + 1)...].contains { $0.identifier == instance.identifier }
                && !ended.contains { $0.identifier == instance.identifier && !seen.contains($0) }
        }.map(\.element)
    }
}
