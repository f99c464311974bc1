// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Something about an app bundle that a developer should know: what it is, where, and what to put there.
package struct BundleFinding: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable {
        /// The bundle cannot be installed so.
        case error
        /// It can, but something will not work as meant, here or on another system.
        case warning
    }

    package let severity: Severity
    /// The key or file it is about, such as `BAManifestURL` or `Extensions/Downloader.appex`.
    package let subject: String
    package let message: String
    package let advice: String

    package init(_ severity: Severity, _ subject: String, _ message: String, _ advice: String) {
        self.severity = severity
        self.subject = subject
        self.message = message
        self.advice = advice
    }
}
