// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import HTTP
import Kit
import System

/// Why an attempt at a download ended, as the queue sees it and as a person does.
struct DownloadFailure: Error {
    var outcome = TransferQueue.Outcome.permanent
    var error: DeviceError

    /// An attempt that could not begin.
    init(starting name: String, _ cause: any Error) {
        error =
            (cause as? DeviceError)
            ?? DeviceError(.failedToStart, "The download of \(name) could not be started: \(cause) Schedule it again.")
    }

    /// - Parameter brought: whether any byte came in this attempt. What a server drips does not count.
    init(_ cause: any Error, name: String, brought: Bool) {
        if let cause = cause as? DeviceError {
            error = cause
            return
        }
        guard let cause = cause as? HTTPClientError else {
            let isFull = StoreError.isNoSpace(cause)
            error = DeviceError(
                isFull ? .noSpace : .downloadStorage,
                isFull
                    ? "The disk became full while \(name) was downloaded. Free some space and schedule it again."
                    : "\(name) could not be stored: \(cause)")
            return
        }
        if cause.isTransient {
            outcome = .transient(
                brought: brought && cause.code != .slow, wish: cause.retryAfter, isUnreachable: cause.isUnreachable)
        }
        switch cause.code {
        case .wrongLength, .tooLarge:
            error = DeviceError(
                .downloadWrongSize, "\(name) is not as long as its fileSize says: \(cause) Correct one of the two.")
        case .untrustedCertificate:
            error = DeviceError(.downloadUntrusted, "The server of \(name) is not trusted: \(cause)")
        case .trustAsked:
            error = DeviceError(
                .downloadUntrusted,
                "The server of \(name) is not accepted: the app or its extension does not trust it, though the system does."
            )
        case .clientCertificate:
            error = DeviceError(
                .downloadClientCertificate,
                "\(name) needs another certificate than was shown, or any: \(cause) Answer the challenge in the download "
                    + "manager's delegate or the extension.")
        case .badCredential:
            error = DeviceError(.downloadAuthentication, "\(name): what answered the challenge is of no use. \(cause)")
        case .forbiddenHost:
            error = DeviceError(
                .disallowedByDomain,
                "\(name) was redirected to a host that BADownloadDomainAllowList does not allow before the app's first "
                    + "launch: \(cause)")
        case .status where !cause.isTransient, .insecureRedirect, .tooManyRedirects, .badResponse:
            error = DeviceError(.downloadServer, "The server does not give \(name): \(cause)")
        case .badURL, .badTrust:
            error = DeviceError(.failedToStart, "\(name) could not be asked for: \(cause)")
        default: error = DeviceError(.downloadNetwork, "The download of \(name) broke off: \(cause)")
        }
    }
}
