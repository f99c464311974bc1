// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a key may be used for.
package enum Role: String, CaseIterable, Hashable, Sendable {
    case admin = "ADMIN"
    case appManager = "APP_MANAGER"
    case developer = "DEVELOPER"
    /// Who decides about submissions: Larder's own, since here the operator reviews.
    case reviewer = "REVIEWER"

    package static let names = allCases.map(\.rawValue)

    /// What a request needs.
    package enum Permission: CaseIterable, Hashable, Sendable {
        case read
        /// Make packs and versions, and upload.
        case upload
        /// Archive packs, submit for review, set webhooks.
        case manage
        /// Decide about submissions.
        case review
    }

    package func permits(_ permission: Permission) -> Bool {
        switch (self, permission) {
        case (_, .read): true
        case (.admin, _): true
        case (.appManager, .upload), (.appManager, .manage): true
        case (.developer, .upload): true
        case (.reviewer, .review): true
        default: false
        }
    }
}
