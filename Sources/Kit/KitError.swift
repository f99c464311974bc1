// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What goes wrong in the groundwork: files, sockets, processes, JSON, paths.
package struct KitError: LarderError {
    /// The kind of failure; the list may grow.
    package struct Code: Hashable, Sendable {
        package let name: String
        package init(_ name: String) { self.name = name }

        package static let file = Code("file")
        package static let socket = Code("socket")
        package static let peerAlive = Code("socket.peer-alive")
        package static let frameTooLarge = Code("socket.frame-too-large")
        package static let frameCut = Code("socket.frame-cut")
        package static let process = Code("process")
        package static let json = Code("json")
        package static let path = Code("path")
        package static let tooLarge = Code("file.too-large")
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
