// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import Languages

/// What the person reads: what was set, or else what the command line last found in its environment, or else what the
/// service's own environment says.
extension SettingsStore {
    private static let languagesName = "languages"
    private static let reportedLanguagesName = "languages.reported"

    func preferredLanguages() async throws -> [LanguageTag] {
        if let tags = try await languages(Self.languagesName) { return tags }
        return try await languages(Self.reportedLanguagesName) ?? PreferredLanguages.of(Environment.current)
    }

    /// Whether a person set them, rather than an environment.
    func areLanguagesSet() async throws -> Bool { try await languages(Self.languagesName) != nil }

    /// - Parameter tags: best first; nil goes back to the environment's.
    /// - Throws: `DeviceError` with code `badSetting` that names the tag.
    func setLanguages(_ tags: [String]?) async throws {
        try await setText(Self.languagesName, try tags.map { try Self.checked($0) })
    }

    /// What a client's environment says; nothing in it leaves what was reported before.
    func reportLanguages(_ tags: [String]) async throws {
        if !tags.isEmpty { try await setText(Self.reportedLanguagesName, try Self.checked(tags)) }
    }

    private func languages(_ name: String) async throws -> [LanguageTag]? {
        try await text(name).map { $0.split(separator: " ").compactMap { try? LanguageTag(String($0)) } }
    }

    private static func checked(_ tags: [String]) throws -> String {
        guard !tags.isEmpty, tags.count <= 64 else {
            throw DeviceError(.badSetting, "Name from 1 to 64 languages, such as de-AT de en.")
        }
        return try tags.map { text in
            do throws(LanguageTag.Problem) {
                return try LanguageTag(text).description
            } catch {
                throw DeviceError(
                    .badSetting,
                    "\"\(text)\" \(error.reason). Write a BCP 47 tag such as \(error.suggestion ?? "de-AT").")
            }
        }.joined(separator: " ")
    }
}
