// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

/// What a downloader extension may still download before the app was opened for the first time. (BA 1.7)
public final class BAAppExtensionInfo: NSObject, NSSecureCoding, Sendable {
    /// The bytes left of `BADownloadAllowance`, or `nil` when downloads are not restricted.
    public let restrictedDownloadSizeRemaining: Int?

    /// The bytes left of `BAEssentialDownloadAllowance`, or `nil` when downloads are not restricted.
    public let restrictedEssentialDownloadSizeRemaining: Int?

    package init(downloadSizeRemaining: Int?, essentialDownloadSizeRemaining: Int?) {
        restrictedDownloadSizeRemaining = downloadSizeRemaining
        restrictedEssentialDownloadSizeRemaining = essentialDownloadSizeRemaining
        super.init()
    }

    /// Always `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Decodes what `encode(with:)` wrote.
    public init?(coder: NSCoder) {
        func size(_ key: String) -> Int? { coder.containsValue(forKey: key) ? coder.decodeInteger(forKey: key) : nil }
        restrictedDownloadSizeRemaining = size("restrictedDownloadSizeRemaining")
        restrictedEssentialDownloadSizeRemaining = size("restrictedEssentialDownloadSizeRemaining")
        super.init()
    }

    /// Writes the figures that are not `nil`.
    public func encode(with coder: NSCoder) {
        if let size = restrictedDownloadSizeRemaining {
            coder.encode(size, forKey: "restrictedDownloadSizeRemaining")
        }
        if let size = restrictedEssentialDownloadSizeRemaining {
            coder.encode(size, forKey: "restrictedEssentialDownloadSizeRemaining")
        }
    }
}
