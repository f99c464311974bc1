// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

/// One file that the system downloads for an app. (BA 1.1)
///
/// Apps and extensions get downloads from an asset pack or a manifest; they do not make them out of nothing.
// Unchecked because the class is not final: every stored value is a constant and Sendable.
public class BADownload: NSObject, NSCopying, @unchecked Sendable {
    /// The name that the app tracks the download by, in the app and in its extension.
    public let identifier: String

    /// A name of this very object, a UUID.
    public let uniqueIdentifier: String

    /// The place among the app's own downloads.
    public let priority: Priority

    /// Whether the download belongs to installing or updating the app, which cannot be opened before it is done.
    public let isEssential: Bool

    /// How far the download has come.
    public let state: State

    /// The size in bytes that the manifest gives the file.
    package let fileSize: Int64

    package let source: String?
    package let appGroupID: String?

    package init(
        identifier: String, uniqueIdentifier: String = UUID().uuidString, priority: Priority, isEssential: Bool,
        fileSize: Int64, source: String?, appGroupID: String?, state: State = .created
    ) {
        self.identifier = identifier
        self.uniqueIdentifier = uniqueIdentifier
        self.priority = priority
        self.isEssential = isEssential
        self.fileSize = fileSize
        self.source = source
        self.appGroupID = appGroupID
        self.state = state
        super.init()
    }

    /// The same file as a new download. A subclass copies what it adds: `other` is of its own class.
    required init(copying other: BADownload, isEssential: Bool) {
        identifier = other.identifier
        uniqueIdentifier = UUID().uuidString
        priority = other.priority
        self.isEssential = isEssential
        fileSize = other.fileSize
        source = other.source
        appGroupID = other.appGroupID
        state = .created
        super.init()
    }

    /// The same file as a new download that may be scheduled when the app is installed already.
    ///
    /// An essential download that failed is scheduled again in this form.
    public func removingEssential() -> Self {
        type(of: self).init(copying: self, isEssential: false)
    }

    /// Returns the download itself, which cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The identifier, the state and the size.
    public override var description: String {
        "<BADownload \(identifier) \(state)\(isEssential ? " essential" : "") \(fileSize) bytes>"
    }
}
