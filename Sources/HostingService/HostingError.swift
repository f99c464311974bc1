// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What goes wrong with a host, apart from requests that it refuses.
package typealias HostingError = RoomError<HostingErrorCode>

/// What goes wrong, by kind.
package struct HostingErrorCode: ErrorCode {
    package let name: String

    package static let badArguments = Self(name: "hosting.bad-arguments")
    package static let notFound = Self(name: "hosting.notFound")
    package static let exists = Self(name: "hosting.exists")
    /// The data folder or a file in it cannot be used.
    package static let storage = Self(name: "hosting.storage")
    /// The store does not have what was uploaded.
    package static let uploadLost = Self(name: "hosting.uploadLost")

    package var exitCode: ExitCode {
        switch self {
        case .badArguments: .usage
        case .notFound: .notFound
        default: .failure
        }
    }
}
