// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The list in an `If-Match` or `If-None-Match` field.
package struct EntityTags: Sendable {
    private let isAny: Bool
    private let tags: [Substring]

    package init(_ field: String) {
        isAny = field.trimmedSpaces == "*"
        tags = field.split(separator: ",").map(\.trimmedSpaces)
    }

    /// Whether a weak tag of the same text counts, too (RFC 9110, 8.8.3.2).
    package func contains(weak etag: String) -> Bool {
        isAny || tags.contains { ($0.hasPrefix("W/") ? $0.dropFirst(2) : $0) == etag }
    }

    package func contains(strong etag: String) -> Bool {
        isAny || tags.contains { $0 == etag }
    }
}
