// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What can go wrong between a path and the file it names.
package struct NamespaceError: LarderError {
    /// A kind of failure; more may be added.
    package struct Code: Hashable, Sendable {
        package let name: String

        /// The namespace file is not one, is damaged, or is of a newer version.
        package static let damaged = Code(name: "namespace.damaged")
        /// No local pack holds the path.
        package static let fileNotFound = Code(name: "namespace.fileNotFound")
        /// No local pack has the id.
        package static let packNotFound = Code(name: "namespace.packNotFound")
        /// The app has no generation yet: nothing was installed under this root.
        package static let notInstalled = Code(name: "namespace.notInstalled")
        /// The system refused to open or map something.
        package static let system = Code(name: "namespace.system")
        /// More paths, packs or bytes than the format can number.
        package static let tooLarge = Code(name: "namespace.tooLarge")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package var codeName: String { code.name }

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
