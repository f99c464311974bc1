// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import DeviceProtocol

/// A part of an install or update: what it is, what it is fetched as, and how far that is.
package struct PlannedItem: Codable, Hashable, Sendable {
    package enum Content: Codable, Hashable, Sendable {
        /// A pack of the download manifest.
        case pack(DownloadManifestPack)
        /// A download that the app's extension named, by the number of its row.
        case download(number: Int64, identifier: String, size: Int64)
        /// A download that the extension named and that is not taken; there is no row of it.
        case refused(identifier: String, size: Int64)
    }

    /// What news name an item by. An identifier will not do for downloads: it may stand for another one soon.
    package enum Key: Codable, Hashable, Sendable {
        case pack(String)
        case download(Int64)
    }

    /// What it is fetched as.
    package enum Role: String, Codable, Hashable, Sendable, CaseIterable {
        /// The app does not start before it is there.
        case essential
        /// Comes behind the install.
        case prefetch
        /// A local pack whose version differs from the manifest's.
        case update
    }

    package enum State: String, Codable, Hashable, Sendable {
        /// To be fetched. → finished, failed; or declined, deferred while planning.
        case pending
        case finished
        case failed
        /// The extension said no.
        case declined
        /// A restriction of BA 2.1 holds it back until the first launch.
        case deferred
        /// Settings or conditions hold it back; it comes by itself, and the install does not wait for it. → pending
        case held
    }

    package let content: Content
    package var role: Role
    package var state: State
    /// Bytes of it that are here.
    package var downloaded: Int64 = 0
    /// Bytes that will come, once that is known: an update moves less than its archive.
    package var expected: Int64?
    package var error: DeviceError?
    /// Why it failed as an essential pack; since then it is fetched as another.
    package var essentialError: DeviceError?

    package init(_ content: Content, _ role: Role, _ state: State = .pending, error: DeviceError? = nil) {
        self.content = content
        self.role = role
        self.state = state
        self.error = error
    }

    package init(_ pack: DownloadManifestPack, _ role: Role) { self.init(.pack(pack), role) }

    /// nil for what nobody tells news of.
    package var key: Key? {
        switch content {
        case .pack(let pack): .pack(pack.id)
        case .download(let number, _, _): .download(number)
        case .refused: nil
        }
    }

    /// As a person knows it.
    package var name: String {
        switch content {
        case .pack(let pack): pack.id
        case .download(_, let identifier, _), .refused(let identifier, _): identifier
        }
    }

    /// Bytes to download: a pack's archive, a download's file.
    package var size: Int64 {
        switch content {
        case .pack(let pack): pack.downloadSize
        case .download(_, _, let size), .refused(_, let size): size
        }
    }

    /// Bytes that come over the network, as far as that is known.
    var bytes: Int64 { expected ?? size }

    /// nil for a download.
    package var pack: DownloadManifestPack? {
        if case .pack(let pack) = content { pack } else { nil }
    }

    /// The identifier of a download that was taken; nil for others.
    package var download: String? {
        if case .download(_, let identifier, _) = content { identifier } else { nil }
    }

    /// The number of a download that was taken; nil for others.
    var downloadNumber: Int64? {
        if case .download(let number, _, _) = content { number } else { nil }
    }
}

extension PlannedItem {
    /// An unmanaged download's part in an install or update; nil for one that was not put down.
    init?(_ download: Download) {
        guard let number = download.number else { return nil }
        let description = download.description
        self.init(
            .download(number: number, identifier: description.identifier, size: description.fileSize ?? 0),
            description.isEssential ? .essential : .prefetch)
    }

    /// A download that was refused.
    init(refused description: DownloadDescription, _ error: DeviceError) {
        self.init(
            .refused(identifier: description.identifier, size: description.fileSize ?? 0),
            description.isEssential ? .essential : .prefetch, .deferred, error: error)
    }
}
