// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Why a folder is no app bundle that can be installed.
package struct BundleError: LarderError {
    /// The kind of failure; the list may grow.
    package struct Code: Hashable, Sendable {
        package let name: String
        /// The folder or one of its files cannot be read.
        package static let unreadable = Code(name: "app.unreadable")
        /// There is nothing of that name.
        package static let notFound = Code(name: "app.notFound")
        package static let badPropertyList = Code(name: "app.badPropertyList")
        /// One or more findings of severity error.
        package static let invalid = Code(name: "app.badBundle")
        /// A hosting service describes a build in a way that cannot be used.
        package static let badOffer = Code(name: "manifest.bad")
        /// An archive unpacks to more than it may.
        package static let tooLarge = Code(name: "store.noSpace")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?
    /// What was found, errors and warnings.
    package let findings: [BundleFinding]

    package var codeName: String { code.name }

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil, findings: [BundleFinding] = []) {
        self.code = code
        self.message = message
        self.cause = cause
        self.findings = findings
    }

    /// An error of all findings that stand in an install's way.
    package init(findings: [BundleFinding], bundle: String) {
        let errors = findings.filter { $0.severity == .error }
        let lines = errors.map { "\n  \($0.subject): \($0.message) \($0.advice)" }.joined()
        let count = errors.count == 1 ? "one thing" : "\(errors.count) things"
        self.init(.invalid, "\(bundle) cannot be installed; \(count) must be put right:\(lines)", findings: findings)
    }
}
