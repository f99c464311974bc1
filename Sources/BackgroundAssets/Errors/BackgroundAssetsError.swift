// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation
internal import Kit

/// What keeps the device service from helping the app: it is not set up, not reachable, or the work failed.
///
/// Where Apple's framework ends the process over a mistake in the app's set-up, this error is thrown. Its description says
/// what to put where.
public struct BackgroundAssetsError: LocalizedError, CustomStringConvertible {
    /// A stable, dotted name of the kind of failure. New ones appear as the service grows; those this version does not know
    /// are kept as they came.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The value as a number or a name.
        public let rawValue: String

        /// Makes the value that this raw value stands for.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The process is not started from an app's bundle, or the bundle lacks a key.
        public static let notConfigured = Code(rawValue: "app.notConfigured")
        /// The app is not installed on this device.
        public static let notInstalled = Code(rawValue: "app.notInstalled")
        /// The device service does not answer.
        public static let serviceUnavailable = Code(rawValue: "device.unavailable")
        /// A manifest is not of the form that it should have.
        public static let invalidManifest = Code(rawValue: "manifest.bad")
        /// The app takes signed manifests only, and the one that came is not rightly signed, too old, or expired.
        public static let manifestRefused = Code(rawValue: "manifest.refused")
        /// A file of a local pack cannot be read.
        public static let unreadable = Code(rawValue: "pack.unreadable")
    }

    /// What kind of failure it is.
    public let code: Code

    /// What happened, to what, and what to do about it.
    public let message: String

    /// The error behind this one, if there is one.
    public let underlyingError: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        underlyingError = cause
    }

    /// What happened, and to what.
    public var errorDescription: String? { message }

    /// The error as one line, with its cause.
    public var description: String { message.with(cause: underlyingError) }
}

/// The error that an app sees for one of the service.
///
/// What Apple's framework has an error for gets that error: an unknown pack, and a cancelled download, which surfaces as
/// `NSURLErrorCancelled`. (BA 1.14, 1.16)
func clientError(_ error: any Error, forPackWithID id: String? = nil) -> any Error {
    guard let error = error as? DeviceError else { return error }
    switch error.code {
    case .packNotFound, DeviceError.Code(rawValue: "store.notFound"):
        guard let id = id ?? error.details["pack"] else { break }
        return ManagedBackgroundAssetsError.assetPackNotFound(withID: id)
    case .appNotFound:
        return BackgroundAssetsError(.notInstalled, error.message)
    case .disconnected:
        return BackgroundAssetsError(.serviceUnavailable, error.message)
    default: break
    }
    // The service's rooms have a code of their own for it: device.cancelled, store.cancelled, http.cancelled.
    if error.code.rawValue.hasSuffix(".cancelled") { return URLError(.cancelled) }
    return BackgroundAssetsError(BackgroundAssetsError.Code(rawValue: error.code.rawValue), error.message)
}
