// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
public import Foundation

// Unchecked because the class is not final: the one stored value is a constant and Sendable.

/// One file that the system downloads for an app. (BA 1.1)
///
/// An app makes ``BAURLDownload``s, or gets downloads from an asset pack; it does not make this class out of nothing.
public class BADownload: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    package let content: DownloadDescription

    /// The name that the app tracks the download by, in the app and in its extension.
    public var identifier: String { content.identifier }

    /// A name of this very object, a UUID.
    public var uniqueIdentifier: String { content.uniqueIdentifier }

    /// The place among the app's own downloads.
    public var priority: Priority { Priority(content.priority) }

    /// Whether the download belongs to installing or updating the app, which cannot be opened before it is done.
    public var isEssential: Bool { content.isEssential }

    /// How far the download had come when the object was made.
    public var state: State { State(rawValue: content.state.rawValue) ?? .waiting }

    package required init(content: DownloadDescription) {
        self.content = content
        super.init()
    }

    /// The download that a description stands for, in the class that it was made in.
    static func make(_ content: DownloadDescription) -> BADownload {
        content.isPack ? BADownload(content: content) : BAURLDownload(content: content)
    }

    /// The same file as a new download that may be scheduled when the app is installed already.
    ///
    /// An essential download that failed is scheduled again in this form.
    public func removingEssential() -> Self {
        var content = content
        content.isEssential = false
        content.state = .created
        content.uniqueIdentifier = UUID().uuidString
        return Self(content: content)
    }

    /// Returns the download itself, which cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Two objects are equal when they are the same download, as app and extension see it.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? BADownload)?.uniqueIdentifier == uniqueIdentifier
    }

    /// Goes with `isEqual(_:)`.
    public override var hash: Int { uniqueIdentifier.hashValue }

    /// The identifier, the state and the size.
    public override var description: String {
        let size = content.fileSize.map { " \($0) bytes" } ?? ""
        return "<\(type(of: self)) \(identifier) \(state)\(isEssential ? " essential" : "")\(size)>"
    }

    // MARK: - Coding

    /// Always `true`.
    public class var supportsSecureCoding: Bool { true }

    private static let codingKey = "larder.download"

    /// Decodes what `encode(with:)` wrote.
    public required convenience init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.codingKey),
            let content = try? JSONDecoder().decode(DownloadDescription.self, from: data as Data)
        else { return nil }
        self.init(content: content)
    }

    /// Writes the whole description.
    public func encode(with coder: NSCoder) {
        guard let data = try? JSONEncoder().encode(content) else { return }
        coder.encode(data as NSData, forKey: Self.codingKey)
    }
}
