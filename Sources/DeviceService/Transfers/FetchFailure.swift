// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import HTTP
import Kit
import System

/// Why an attempt ended, as the queue sees it and as a person does.
struct FetchFailure: Error {
    var outcome: TransferQueue.Outcome
    var error: StoreError

    /// - Parameter brought: whether any byte came in this attempt. What a server drips does not count.
    init(_ error: any Error, pack: String, brought: Bool) {
        if let failure = error as? FetchFailure {
            self = failure
            return
        }
        if StoreError.isNoSpace(error) {
            outcome = .permanent
            if let error = error as? StoreError, error.cause == nil {
                // It was refused beforehand, with figures, and nothing was written.
                self.error = error
                return
            }
            self.error = StoreError(
                .noSpace,
                "The disk became full while the pack \(pack) was unpacked, and what was written was deleted again. "
                    + "Free some space and try again.", cause: error)
            return
        }
        outcome = .permanent
        switch error {
        case let error as StoreError: self.error = error
        case let error as HTTPClientError:
            self.error = Self.describe(error, pack)
            if error.isTransient {
                outcome = .transient(
                    brought: brought && error.code != .slow, wish: error.retryAfter, isUnreachable: error.isUnreachable)
            }
        case let error as ArchiveError:
            self.error = StoreError(.badArchive, "The archive of the pack \(pack) cannot be unpacked.", cause: error)
        default:
            self.error = StoreError(.system, "The pack \(pack) could not be stored.", cause: error)
        }
    }

    private static func describe(_ error: HTTPClientError, _ pack: String) -> StoreError {
        switch error.code {
        case .wrongLength, .tooLarge:
            StoreError(
                .wrongSize, "The server's archive of the pack \(pack) is not as long as the manifest promises.",
                cause: error)
        case .untrustedCertificate:
            StoreError(.untrusted, "The server of the pack \(pack) is not trusted.", cause: error)
        case .forbiddenHost:
            StoreError(
                .domainNotAllowed,
                "The pack \(pack) comes from a host that BADownloadDomainAllowList does not allow before the app's first "
                    + "launch. It follows after that; to have it earlier, add the host to the list.", cause: error)
        case .status where !error.isTransient, .insecureRedirect, .tooManyRedirects, .badResponse, .badURL:
            StoreError(.server, "The server does not give the pack \(pack).", cause: error)
        case .noLibrary: StoreError(.system, "The pack \(pack) cannot be downloaded.", cause: error)
        default:
            StoreError(.network, "The download of the pack \(pack) broke off.", cause: error)
        }
    }
}
