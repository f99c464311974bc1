// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What went wrong with a pack, a pack manifest or a download manifest.
package typealias AssetPackError = RoomError<AssetPackErrorCode>

/// What goes wrong, by kind.
package struct AssetPackErrorCode: ErrorCode {
    package let name: String

    /// A pack manifest that is no JSON, or says something it may not say.
    package static let invalidManifest = Self(name: "pack.invalidManifest")
    /// A download manifest that is no JSON, or says something it may not say.
    package static let invalidDownloadManifest = Self(name: "pack.invalidDownloadManifest")
    /// A selector that matches nothing, or matches what it may not.
    package static let selection = Self(name: "pack.selection")
    /// Two files for one place in the pack.
    package static let conflict = Self(name: "pack.conflict")
    /// A file of a kind that a pack cannot hold.
    package static let unsupportedFile = Self(name: "pack.unsupportedFile")
    /// Code that Apple does not let a pack hold.
    package static let macExecutable = Self(name: "pack.macExecutable")
    /// A file that changed between being found and being packed.
    package static let changedWhileReading = Self(name: "pack.changedWhileReading")
    /// Something is where the output should go.
    package static let outputExists = Self(name: "pack.outputExists")
    /// The disk is full, or a quota or size limit was met.
    package static let noSpace = Self(name: "pack.noSpace")
    /// A file could not be read or written.
    package static let io = Self(name: "pack.io")
    /// Something that was named is not there.
    package static let notFound = Self(name: "pack.notFound")
    /// An archive that is sound but is no asset pack.
    package static let notAPack = Self(name: "pack.notAPack")
    /// An archive, a download manifest or a key's file that does not hold what it claims.
    package static let verification = Self(name: "pack.verification")
    /// Arguments that cannot be right together.
    package static let invalidArgument = Self(name: "pack.invalidArgument")
}
