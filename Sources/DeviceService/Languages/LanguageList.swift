// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Languages

/// Lists of languages that somebody wrote.
enum LanguageList {
    static let limit = 64

    /// The tags as they are to be kept.
    /// - Throws: `DeviceError` with code `badSetting` that names the tag.
    static func checked(_ tags: [String]) throws -> [String] {
        guard !tags.isEmpty, tags.count <= limit else {
            throw DeviceError(.badSetting, "Name from 1 to \(limit) languages, such as de-AT de en.")
        }
        return try tags.map { text in
            do throws(LanguageTag.Problem) {
                return try LanguageTag(text).description
            } catch {
                throw DeviceError(
                    .badSetting,
                    "\"\(text)\" \(error.reason). Write a BCP 47 tag such as \(error.suggestion ?? "de-AT").")
            }
        }
    }

    static func tags(_ texts: [String]) -> [LanguageTag] { texts.compactMap { try? LanguageTag($0) } }
}
