// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What went wrong with a pack, a pack manifest or a download manifest.
package struct AssetPackError: LarderError {
    /// A kind of error; kinds may be added, so readers must bear with one they do not know.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A pack manifest that is no JSON, or says something it may not say.
        package static let invalidManifest = Code(rawValue: "pack.invalidManifest")
        /// A download manifest that is no JSON, or says something it may not say.
        package static let invalidDownloadManifest = Code(rawValue: "pack.invalidDownloadManifest")
        /// A selector that matches nothing, or matches what it may not.
        package static let selection = Code(rawValue: "pack.selection")
        /// Two files for one place in the pack.
        package static let conflict = Code(rawValue: "pack.conflict")
        /// A file of a kind that a pack cannot hold.
        package static let unsupportedFile = Code(rawValue: "pack.unsupportedFile")
        /// Code that Apple does not let a pack hold.
        package static let macExecutable = Code(rawValue: "pack.macExecutable")
        /// A file that changed between being found and being packed.
        package static let changedWhileReading = Code(rawValue: "pack.changedWhileReading")
        /// Something is where the output should go.
        package static let outputExists = Code(rawValue: "pack.outputExists")
        /// The disk is full, or a quota or size limit was met.
        package static let noSpace = Code(rawValue: "pack.noSpace")
        /// A file could not be read or written.
        package static let io = Code(rawValue: "pack.io")
        /// Something that was named is not there.
        package static let notFound = Code(rawValue: "pack.notFound")
        /// An archive that is sound but is no asset pack.
        package static let notAPack = Code(rawValue: "pack.notAPack")
        /// An archive or download manifest that does not hold what it claims.
        package static let verification = Code(rawValue: "pack.verification")
        /// Arguments that cannot be right together.
        package static let invalidArgument = Code(rawValue: "pack.invalidArgument")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package var codeName: String { code.rawValue }

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
