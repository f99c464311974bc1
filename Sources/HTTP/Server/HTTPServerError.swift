// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Why a server cannot run.
package typealias HTTPServerError = RoomError<HTTPServerErrorCode>

/// What goes wrong, by kind.
package struct HTTPServerErrorCode: ErrorCode {
    package let name: String

    /// The address or port cannot be listened on.
    package static let listen = Self(name: "http-server.listen")
    /// The certificate and key cannot be used together.
    package static let identity = Self(name: "http-server.identity")
    /// libmicrohttpd is not on this system.
    package static let noLibrary = Self(name: "http-server.no-library")
    package static let start = Self(name: "http-server.start")
}
