// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Languages

/// What the command line last found in its environment: seen, not set, so it is no setting of the person's.
extension SettingsStore {
    private static let reportedLanguagesName = "languages.reported"
    private static let toldLanguagesName = "languages.told"

    /// nil when no environment was reported yet.
    func reportedLanguages() async throws -> [LanguageTag]? {
        try await text(Self.reportedLanguagesName).map { LanguageList.tags($0.split(separator: " ").map(String.init)) }
    }

    /// The person's languages as the apps whose extensions choose were last told; nil when there was nothing to tell yet.
    func toldLanguages() async throws -> [LanguageTag]? {
        try await text(Self.toldLanguagesName).map { LanguageList.tags($0.split(separator: " ").map(String.init)) }
    }

    func setToldLanguages(_ tags: [LanguageTag]) async throws {
        try await setText(Self.toldLanguagesName, tags.map(\.description).joined(separator: " "))
    }

    /// What a client's environment says; nothing in it leaves what was reported before.
    func reportLanguages(_ tags: [String]) async throws {
        if tags.isEmpty { return }
        try await setText(Self.reportedLanguagesName, try LanguageList.checked(tags).joined(separator: " "))
    }
}
