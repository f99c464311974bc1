// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Languages

/// What the command line last found in its environment: seen, not set, so it is no setting of the person's.
extension SettingsStore {
    private static let reportedLanguagesName = "languages.reported"

    /// nil when no environment was reported yet.
    func reportedLanguages() async throws -> [LanguageTag]? {
        try await text(Self.reportedLanguagesName).map { LanguageList.tags($0.split(separator: " ").map(String.init)) }
    }

    /// What a client's environment says; nothing in it leaves what was reported before.
    func reportLanguages(_ tags: [String]) async throws {
        if tags.isEmpty { return }
        try await setText(Self.reportedLanguagesName, try LanguageList.checked(tags).joined(separator: " "))
    }
}
