// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Why a development server cannot do what it is told.
package struct DevelopmentServerError: LarderError {
    package struct Code: Hashable, Sendable {
        package let name: String
        package static let badArguments = Code(name: "serve.bad-arguments")
        package static let notFound = Code(name: "serve.notFound")
        package static let unreadable = Code(name: "serve.unreadable")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var codeName: String { code.name }

    package var exitCode: ExitCode {
        switch code {
        case .badArguments: .usage
        case .notFound: .notFound
        default: .failure
        }
    }
}
