// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

// The codes in `NSCocoaErrorDomain` of on-demand resources (BA 6.1), which Foundation on Linux leaves out.

/// There is no room for the resources, and none can be made.
public let NSBundleOnDemandResourceOutOfSpaceError = 4992
/// The app would use more of its resources at once than it may.
public let NSBundleOnDemandResourceExceededMaximumSizeError = 4993
/// The app has no resources with a tag, or a pack of it is not offered.
public let NSBundleOnDemandResourceInvalidTagError = 4994
/// The first and the last code of errors of bundles.
public let NSBundleErrorMinimum = 4992
/// The last code of errors of bundles.
public let NSBundleErrorMaximum = 5119

extension CocoaError.Code {
    /// There is no room for the resources, and none can be made.
    public static var bundleOnDemandResourceOutOfSpace: CocoaError.Code {
        CocoaError.Code(rawValue: NSBundleOnDemandResourceOutOfSpaceError)
    }
    /// The app would use more of its resources at once than it may.
    public static var bundleOnDemandResourceExceededMaximumSize: CocoaError.Code {
        CocoaError.Code(rawValue: NSBundleOnDemandResourceExceededMaximumSizeError)
    }
    /// The app has no resources with a tag, or a pack of it is not offered.
    public static var bundleOnDemandResourceInvalidTag: CocoaError.Code {
        CocoaError.Code(rawValue: NSBundleOnDemandResourceInvalidTagError)
    }
}

extension CocoaError {
    /// There is no room for the resources, and none can be made.
    public static var bundleOnDemandResourceOutOfSpace: CocoaError.Code { .bundleOnDemandResourceOutOfSpace }
    /// The app would use more of its resources at once than it may.
    public static var bundleOnDemandResourceExceededMaximumSize: CocoaError.Code {
        .bundleOnDemandResourceExceededMaximumSize
    }
    /// The app has no resources with a tag, or a pack of it is not offered.
    public static var bundleOnDemandResourceInvalidTag: CocoaError.Code { .bundleOnDemandResourceInvalidTag }
}
