// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
package import Kit
import System

/// Why a pack could not be fetched, stored or removed.
package typealias StoreError = RoomError<StoreErrorCode>

/// What goes wrong, by kind.
package struct StoreErrorCode: ErrorCode {
    package let name: String

    /// The disk is, or would become, full.
    package static let noSpace = Self(name: "store.noSpace")
    /// The server has another number of bytes than the manifest promises.
    package static let wrongSize = Self(name: "store.wrongSize")
    /// The bytes are not those the manifest promises.
    package static let wrongDigest = Self(name: "store.wrongDigest")
    /// The archive is broken, hostile, or not this pack.
    package static let badArchive = Self(name: "store.badArchive")
    /// The server cannot be reached, or breaks off, for longer than one waits.
    package static let network = Self(name: "store.network")
    /// The server refuses.
    package static let server = Self(name: "store.server")
    /// The server's certificate is not one this device trusts.
    package static let untrusted = Self(name: "store.untrusted")
    /// The server sends the download on to a host that the app's restrictions do not allow.
    package static let domainNotAllowed = Self(name: "restriction.domain")
    package static let cancelled = Self(name: "store.cancelled")
    /// There is no such pack or app here.
    package static let notFound = Self(name: "store.notFound")
    /// The system refused something else.
    package static let system = Self(name: "store.system")
}

extension StoreError {
    /// Whether an error, or what caused it, is a full disk, a full quota or a file-size limit.
    static func isNoSpace(_ error: any Error) -> Bool {
        if let error = error as? Errno { return [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(error) }
        if let error = error as? StoreError, error.code == .noSpace { return true }
        if let error = error as? DatabaseError, error.code == .noSpace { return true }
        guard let cause = (error as? any LarderError)?.cause else { return false }
        return isNoSpace(cause)
    }
}
