// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Why a development server cannot do what it is told.
package typealias DevelopmentServerError = RoomError<DevelopmentServerErrorCode>

/// What goes wrong, by kind.
package struct DevelopmentServerErrorCode: ErrorCode {
    package let name: String

    package static let badArguments = Self(name: "serve.bad-arguments")
    package static let notFound = Self(name: "serve.notFound")
    package static let unreadable = Self(name: "serve.unreadable")

    package var exitCode: ExitCode {
        switch self {
        case .badArguments: .usage
        case .notFound: .notFound
        default: .failure
        }
    }
}
