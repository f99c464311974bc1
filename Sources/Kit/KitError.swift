// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What goes wrong in the groundwork: files, sockets, processes, JSON, paths.
package typealias KitError = RoomError<KitErrorCode>

/// What goes wrong, by kind.
package struct KitErrorCode: ErrorCode {
    package let name: String

    package static let file = Self(name: "file")
    package static let socket = Self(name: "socket")
    package static let peerAlive = Self(name: "socket.peer-alive")
    package static let frameTooLarge = Self(name: "socket.frame-too-large")
    package static let frameCut = Self(name: "socket.frame-cut")
    package static let process = Self(name: "process")
    package static let json = Self(name: "json")
    package static let path = Self(name: "path")
    package static let tooLarge = Self(name: "file.too-large")
}
