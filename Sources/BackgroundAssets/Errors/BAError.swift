// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation

/// The domain of ``BAError`` as an `NSError`.
public let BAErrorDomain = "BAErrorDomain"

/// What can be wrong with an unmanaged download. (BA 1.8)
public typealias BAErrorCode = BAError.Code

/// Why an unmanaged download was refused or ended. (BA 1.8)
public struct BAError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// Apple's numbers.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// The download's identifier, URL, size or group will not do, or its file does not have the declared size.
        case downloadInvalid = 0
        /// An extension cannot ask for this.
        case callFromExtensionNotAllowed = 50
        /// An app in the background cannot ask for this.
        case callFromInactiveProcessNotAllowed = 51
        /// The caller is not the app or extension that it says it is.
        case callerConnectionNotAccepted = 55
        /// The connection to the service broke.
        case callerConnectionInvalid = 56
        /// A download with this identifier is scheduled already.
        case downloadAlreadyScheduled = 100
        /// No download with this identifier is scheduled.
        case downloadNotScheduled = 101
        /// The download could not be started.
        case downloadFailedToStart = 102
        /// The download has failed already.
        case downloadAlreadyFailed = 103
        /// Only an extension's answer to an install or update may hold essential downloads.
        case downloadEssentialDownloadNotPermitted = 109
        /// Low-power mode or the person's settings forbid it.
        case downloadBackgroundActivityProhibited = 111
        /// It is larger than what is left of an allowance.
        case downloadWouldExceedAllowance = 112
        /// There is no such download.
        case downloadDoesNotExist = 113
        /// The host is not on the list of those allowed before the first launch.
        case sessionDownloadDisallowedByDomain = 202
        /// It alone is larger than the allowance before the first launch.
        case sessionDownloadDisallowedByAllowance = 203
        /// It turned out larger than what was left of the allowance before the first launch.
        case sessionDownloadAllowanceExceeded = 204
        /// Nothing may be downloaded before the first launch.
        case sessionDownloadNotPermittedBeforeAppLaunch = 206
    }

    /// What is wrong.
    public let code: Code

    private let message: String

    /// Makes an error.
    public init(_ code: Code) { self.init(code, message: "Background Assets error \(code.rawValue) (\(code)).") }

    package init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// `BAErrorDomain`
    public static var errorDomain: String { BAErrorDomain }

    /// The code's number.
    public var errorCode: Int { code.rawValue }

    /// What `NSError.userInfo` holds.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }

    /// What happened, and to what.
    public var errorDescription: String? { message }

    /// Errors of one code are equal, whatever their message.
    public static func == (left: BAError, right: BAError) -> Bool { left.code == right.code }

    /// Goes with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension BAError.Code {
    /// Lets `catch BAError.downloadAlreadyScheduled` name a code.
    public static func ~= (code: BAError.Code, error: any Error) -> Bool { (error as? BAError)?.code == code }
}

// Imported from Objective-C, the codes are members of the error as well.
extension BAError {
    /// See ``Code/downloadInvalid``.
    public static var downloadInvalid: Code { .downloadInvalid }
    /// See ``Code/callFromExtensionNotAllowed``.
    public static var callFromExtensionNotAllowed: Code { .callFromExtensionNotAllowed }
    /// See ``Code/callFromInactiveProcessNotAllowed``.
    public static var callFromInactiveProcessNotAllowed: Code { .callFromInactiveProcessNotAllowed }
    /// See ``Code/callerConnectionNotAccepted``.
    public static var callerConnectionNotAccepted: Code { .callerConnectionNotAccepted }
    /// See ``Code/callerConnectionInvalid``.
    public static var callerConnectionInvalid: Code { .callerConnectionInvalid }
    /// See ``Code/downloadAlreadyScheduled``.
    public static var downloadAlreadyScheduled: Code { .downloadAlreadyScheduled }
    /// See ``Code/downloadNotScheduled``.
    public static var downloadNotScheduled: Code { .downloadNotScheduled }
    /// See ``Code/downloadFailedToStart``.
    public static var downloadFailedToStart: Code { .downloadFailedToStart }
    /// See ``Code/downloadAlreadyFailed``.
    public static var downloadAlreadyFailed: Code { .downloadAlreadyFailed }
    /// See ``Code/downloadEssentialDownloadNotPermitted``.
    public static var downloadEssentialDownloadNotPermitted: Code { .downloadEssentialDownloadNotPermitted }
    /// See ``Code/downloadBackgroundActivityProhibited``.
    public static var downloadBackgroundActivityProhibited: Code { .downloadBackgroundActivityProhibited }
    /// See ``Code/downloadWouldExceedAllowance``.
    public static var downloadWouldExceedAllowance: Code { .downloadWouldExceedAllowance }
    /// See ``Code/downloadDoesNotExist``.
    public static var downloadDoesNotExist: Code { .downloadDoesNotExist }
    /// See ``Code/sessionDownloadDisallowedByDomain``.
    public static var sessionDownloadDisallowedByDomain: Code { .sessionDownloadDisallowedByDomain }
    /// See ``Code/sessionDownloadDisallowedByAllowance``.
    public static var sessionDownloadDisallowedByAllowance: Code { .sessionDownloadDisallowedByAllowance }
    /// See ``Code/sessionDownloadAllowanceExceeded``.
    public static var sessionDownloadAllowanceExceeded: Code { .sessionDownloadAllowanceExceeded }
    /// See ``Code/sessionDownloadNotPermittedBeforeAppLaunch``.
    public static var sessionDownloadNotPermittedBeforeAppLaunch: Code { .sessionDownloadNotPermittedBeforeAppLaunch }
}

/// The error that an app sees for one of a download: ``BAError`` where Apple has a code, what `URLSession` would say of the
/// network, or else the service's own.
func downloadError(_ error: any Error) -> any Error {
    guard let error = error as? DeviceError else { return error }
    if let problem = error.downloadProblem, let code = BAError.Code(rawValue: problem.rawValue) {
        return BAError(code, message: error.message)
    }
    func networkError(_ code: URLError.Code) -> URLError {
        URLError(code, userInfo: [NSLocalizedDescriptionKey: error.message])
    }
    switch error.code {
    case .downloadWrongSize: return BAError(.downloadInvalid, message: error.message)
    case .downloadNetwork: return networkError(.networkConnectionLost)
    case .downloadServer: return networkError(.badServerResponse)
    case .downloadAuthentication: return networkError(.userAuthenticationRequired)
    case .downloadAuthenticationCancelled: return networkError(.cancelled)
    case .downloadClientCertificate: return networkError(.clientCertificateRejected)
    case .downloadUntrusted: return networkError(.serverCertificateUntrusted)
    case .disconnected, .unavailable: return BAError(.callerConnectionInvalid, message: error.message)
    default: return clientError(error)
    }
}
