// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Which languages the person reads, and an app's localised packs (A7).

/// Fetches the packs of the app's language, waits for them, and takes those of other languages away that the app did not ask
/// for by itself (BA 1.11 `reconcilePreferredLanguages`).
package struct ReconcileLanguagesRequest: DeviceRequest {
    package static let method = "app.reconcileLanguages"
    package typealias Reply = EnsureLocalAvailabilityRequest.Reply
    package var app: String
    package init(app: String) { self.app = app }
}

/// The languages in force: those of the setting `languages`, or an environment's.
package struct LanguagesGetRequest: DeviceRequest {
    package static let method = "languages.get"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        /// BCP 47 tags, best first.
        package var languages: [String]
        /// Whether a person set them; otherwise they are an environment's.
        package var isSet: Bool

        package init(languages: [String], isSet: Bool) {
            self.languages = languages
            self.isSet = isSet
        }
    }
}

/// Tells the languages of a client's environment, which count while none are set.
package struct LanguagesReportRequest: DeviceRequest {
    package static let method = "languages.report"
    package typealias Reply = EmptyReply
    package var languages: [String]
    package init(languages: [String]) { self.languages = languages }
}
