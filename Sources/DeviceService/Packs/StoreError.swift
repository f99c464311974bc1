// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Why a pack could not be fetched, stored or removed.
package struct StoreError: LarderError {
    /// The kind of failure; more may be added.
    package struct Code: Hashable, Sendable {
        package let name: String

        package init(_ name: String) { self.name = name }

        /// The disk is, or would become, full.
        package static let noSpace = Code("store.noSpace")
        /// The server has another number of bytes than the manifest promises.
        package static let wrongSize = Code("store.wrongSize")
        /// The bytes are not those the manifest promises.
        package static let wrongDigest = Code("store.wrongDigest")
        /// The archive is broken, hostile, or not this pack.
        package static let badArchive = Code("store.badArchive")
        /// The server cannot be reached, or breaks off, for longer than one waits.
        package static let network = Code("store.network")
        /// The server refuses.
        package static let server = Code("store.server")
        /// The server's certificate is not one this device trusts.
        package static let untrusted = Code("store.untrusted")
        package static let cancelled = Code("store.cancelled")
        /// There is no such pack or app here.
        package static let notFound = Code("store.notFound")
        /// The system refused something else.
        package static let system = Code("store.system")
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

    /// Whether an error, or what caused it, is a full disk, a full quota or a file-size limit.
    static func isNoSpace(_ error: any Error) -> Bool {
        if let error = error as? Errno { return [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(error) }
        if let error = error as? StoreError, error.code == .noSpace { return true }
        guard let cause = (error as? any LarderError)?.cause else { return false }
        return isNoSpace(cause)
    }
}
