// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation
public import System

/// What goes wrong with the files and packs that an app names. (BA 1.14)
public enum ManagedBackgroundAssetsError: LocalizedError {
    /// No pack with this identifier is offered to the app or on the device.
    case assetPackNotFound(withID: String)
    /// No local pack has a file at this path.
    case fileNotFound(at: FilePath)

    /// What happened, and to what.
    public var errorDescription: String? {
        switch self {
        case .assetPackNotFound(let id): "No asset pack has the identifier “\(id)”."
        case .fileNotFound(let path): "No asset pack on this device has a file at “\(path)”."
        }
    }

    /// What to do about it.
    public var recoverySuggestion: String? {
        switch self {
        case .assetPackNotFound:
            "Check the identifier against the manifest that the app's BAManifestURL serves."
        case .fileNotFound:
            "Wait for the pack that has it with ensureLocalAvailability(of:), or check the path's spelling and case."
        }
    }
}

extension ManagedBackgroundAssetsError: CustomNSError {
    /// `BAManagedErrorDomain`
    public static var errorDomain: String { "BAManagedErrorDomain" }

    /// The number that Apple's framework has for the error.
    public var errorCode: Int {
        switch self {
        case .assetPackNotFound: 0
        case .fileNotFound: 1
        }
    }

    /// What `NSError.userInfo` holds.
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = [:]
        information[NSLocalizedDescriptionKey] = errorDescription
        information[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        switch self {
        case .assetPackNotFound(let id): information["BAAssetPackIdentifier"] = id
        case .fileNotFound(let path): information[NSFilePathErrorKey] = path.string
        }
        return information
    }
}
