// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation
internal import Kit

/// Why a request for resources failed: by itself, or as the underlying error of one with a code of `NSCocoaErrorDomain`.
public struct NSBundleResourceRequestError: CustomNSError, LocalizedError, CustomStringConvertible, Sendable {
    /// The kinds of failures; new ones may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The error's number in its domain.
        public let rawValue: Int
        /// Makes the code with a number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The app has no list of its resources: `OnDemandResources.plist` is missing.
        public static let noManifest = Code(rawValue: 100)
        /// The request was begun before: each is for one time.
        public static let alreadyUsed = Code(rawValue: 101)
        /// No resources have the tag.
        public static let unknownTag = Code(rawValue: 102)
        /// The list names a pack that the app's manifest does not offer.
        public static let missingPack = Code(rawValue: 103)
        /// There is no room.
        public static let noRoom = Code(rawValue: 104)
        /// The device service does not answer, or the download failed.
        public static let failed = Code(rawValue: 105)
        /// More would be in use at once than the person allows.
        public static let tooMuch = Code(rawValue: 106)
    }

    /// As Apple's system names it.
    public static var errorDomain: String { "_NSBundleResourceRequestErrorDomain" }
    /// What kind of failure it is.
    public let code: Code
    /// What happened, to what, and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error's number in its domain.
    public var errorCode: Int { code.rawValue }
    /// What happened, and to what.
    public var errorDescription: String? { message }
    /// The error as one line.
    public var description: String { message }
    /// What `NSError` shows.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension NSBundleResourceRequestError {
    /// The error with the code that Apple documents for this kind, where it documents one.
    var documented: any Error {
        let cocoa: CocoaError.Code? =
            switch code {
            case .noManifest, .unknownTag, .missingPack: .bundleOnDemandResourceInvalidTag
            case .noRoom: .bundleOnDemandResourceOutOfSpace
            case .tooMuch: .bundleOnDemandResourceExceededMaximumSize
            default: nil
            }
        return cocoa.map {
            CocoaError($0, userInfo: [NSLocalizedDescriptionKey: message, NSUnderlyingErrorKey: self])
        } ?? self
    }

    static func tooMuch(_ tags: Set<String>, app: String, size: Int64, limit: Int64) -> NSBundleResourceRequestError {
        NSBundleResourceRequestError(
            .tooMuch,
            "With \(tags.sorted().joined(separator: ", ")), \(app) would use \(size) bytes of on-demand resources at once, and \(limit) are allowed. End access to others first."
        )
    }

    static func alreadyUsed(_ tags: Set<String>) -> NSBundleResourceRequestError {
        NSBundleResourceRequestError(
            .alreadyUsed,
            "The request for \(tags.sorted().joined(separator: ", ")) was begun before. Make a new one for each time that the resources are needed."
        )
    }
}

/// The error that an app sees for one that a request failed with.
func requestError(_ error: any Error) -> any Error {
    if error is CancellationError { return CocoaError(.userCancelled) }
    if let error = error as? NSBundleResourceRequestError { return error.documented }
    guard let error = error as? any LarderError else { return error }
    typealias Failure = NSBundleResourceRequestError
    // The service's rooms have a code of their own for some: device.cancelled, store.cancelled.
    let kind = error.codeName.split(separator: ".").last ?? ""
    switch (DeviceError.Code(rawValue: error.codeName), kind) {
    case (_, "cancelled"): return CocoaError(.userCancelled)
    case (.noResources, _): return Failure(.noManifest, error.message).documented
    case (.unknownTag, _): return Failure(.unknownTag, error.message).documented
    case (.resourcePackMissing, _): return Failure(.missingPack, error.message).documented
    case (_, "noSpace"): return Failure(.noRoom, error.message).documented
    case (.resourcesExceeded, _): return Failure(.tooMuch, error.message).documented
    default: return Failure(.failed, error.message)
    }
}
