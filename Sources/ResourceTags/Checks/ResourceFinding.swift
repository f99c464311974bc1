// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Something that a check of tagged resources found.
package struct ResourceFinding: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable {
        case error
        case warning
    }

    package enum Kind: String, Hashable, Sendable {
        case tagTooLarge, packTooLarge, tooManyPacks, initialInstallTooLarge, prefetchTooLarge, inUseTooLarge
        case hostedTooLarge, executableCode
    }

    package let severity: Severity
    package let kind: Kind
    /// The tag, pack or file it is about; empty for all together.
    package let subject: String
    /// What is wrong and what to do.
    package let message: String
    /// By how many bytes a limit is passed; nil where it is no matter of bytes.
    package let excess: Int64?
}
