// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Why a server cannot run.
package struct HTTPServerError: LarderError {
    package struct Code: Hashable, Sendable {
        package let name: String
        /// The address or port cannot be listened on.
        package static let listen = Code(name: "http-server.listen")
        /// The certificate and key cannot be used together.
        package static let identity = Code(name: "http-server.identity")
        package static let start = Code(name: "http-server.start")
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
}
