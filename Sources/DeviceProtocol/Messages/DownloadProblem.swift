// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why a download was refused or ended, with the numbers of Apple's `BAErrorCode` (BA 1.8).
package enum DownloadProblem: Int, CaseIterable, Sendable {
    case invalid = 0
    case callFromExtensionNotAllowed = 50
    case callFromInactiveProcessNotAllowed = 51
    case callerConnectionNotAccepted = 55
    case callerConnectionInvalid = 56
    case alreadyScheduled = 100
    case notScheduled = 101
    case failedToStart = 102
    case alreadyFailed = 103
    case essentialNotPermitted = 109
    case backgroundActivityProhibited = 111
    case wouldExceedAllowance = 112
    case doesNotExist = 113
    case disallowedByDomain = 202
    case disallowedByAllowance = 203
    case allowanceExceeded = 204
    case notPermittedBeforeAppLaunch = 206
}

extension DeviceError {
    private static let downloadPrefix = "download."

    /// An error of an unmanaged download; its code is `download.` and the problem's name.
    package init(_ problem: DownloadProblem, _ message: String, details: [String: String] = [:]) {
        self.init(Code(rawValue: "\(Self.downloadPrefix)\(problem)"), message, details: details)
    }

    /// The problem that the code names; nil for errors of another kind.
    package var downloadProblem: DownloadProblem? {
        guard code.rawValue.hasPrefix(Self.downloadPrefix) else { return nil }
        let name = code.rawValue.dropFirst(Self.downloadPrefix.count)
        return DownloadProblem.allCases.first { "\($0)" == name }
    }
}

extension DeviceError.Code {
    /// Another process has exclusive control, and the time to wait for it is over.
    package static let controlHeld = Self(rawValue: "download.controlHeld")
    /// The server cannot be reached, or breaks off, for longer than one waits.
    package static let downloadNetwork = Self(rawValue: "download.network")
    /// The server refuses, or breaks the protocol.
    package static let downloadServer = Self(rawValue: "download.server")
    /// The server's certificate is not one this device trusts.
    package static let downloadUntrusted = Self(rawValue: "download.untrusted")
    /// The server gives nothing without a credential, or refuses those it was given.
    package static let downloadAuthentication = Self(rawValue: "download.authentication")
    /// The server asks for a certificate, or refuses the one it was shown.
    package static let downloadClientCertificate = Self(rawValue: "download.clientCertificate")
    /// App or extension ended the download when it was asked for a credential.
    package static let downloadAuthenticationCancelled = Self(rawValue: "download.authenticationCancelled")
    /// The file is not as long as the download says.
    package static let downloadWrongSize = Self(rawValue: "download.wrongSize")
    /// The system refused to store the file.
    package static let downloadStorage = Self(rawValue: "download.storage")
}
