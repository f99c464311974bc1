// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What can go wrong between a path and the file it names.
package typealias NamespaceError = RoomError<NamespaceErrorCode>

/// What goes wrong, by kind.
package struct NamespaceErrorCode: ErrorCode {
    package let name: String

    /// The namespace file is not one, is damaged, or is of a newer version.
    package static let damaged = Self(name: "namespace.damaged")
    /// No local pack holds the path.
    package static let fileNotFound = Self(name: "namespace.fileNotFound")
    /// No local pack has the id.
    package static let packNotFound = Self(name: "namespace.packNotFound")
    /// The app has no generation yet: nothing was installed under this root.
    package static let notInstalled = Self(name: "namespace.notInstalled")
    /// The system refused to open or map something.
    package static let system = Self(name: "namespace.system")
    /// More paths, packs or bytes than the format can number.
    package static let tooLarge = Self(name: "namespace.tooLarge")
}
