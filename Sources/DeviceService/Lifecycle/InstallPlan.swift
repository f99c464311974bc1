// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
package import Kit

/// Everything an install or update knows and decided; journaled with each step, so that a restart goes on from it.
package struct InstallPlan: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
        case install
        case update

        /// As `BAContentRequest` names the event.
        package var eventName: String { rawValue }
        /// As policies of packs name it.
        var eventType: InstallationEventType { self == .install ? .firstInstallation : .subsequentUpdate }
    }

    /// What becomes of the base app: an update leaves the one that is there in place until the end.
    package var kind: Kind
    /// What packs and extension are told. A bundle that takes over from an install which was not complete updates the
    /// base app, and is still that install.
    package var event: Kind
    /// A developer's simulation of the event: it brings packs and downloads, and leaves the base app alone.
    package var isSimulated = false
    package var app: String
    package var displayName: String
    package var version: String
    /// The folder the base app is copied from; of an archive, the one it is unpacked to.
    package var source: String
    /// The archive the base app comes in; nil when it is a folder.
    package var archive: String?
    /// Where the archive comes from when a hosting service has it.
    package var hosted: HostedInstall?
    /// The number of the base's own folder below `bundle`.
    package var bundle: Int
    /// Bytes of the base app's files.
    package var baseSize: Int64
    /// When anything of the folder or archive that it comes from had changed last; nil when that is not known.
    package var sourceChange: Timestamp?
    /// Bytes of it that are copied or unpacked.
    package var copied: Int64 = 0
    /// Whether the app has packs that the system manages.
    package var isManaged: Bool
    /// Whether the app's extension decides itself what to download.
    package var isUnmanaged: Bool
    /// `BAEssentialDownloadAllowance`, which stands for the essential packs' sizes until these are known.
    package var essentialAllowance: Int64?
    /// The app group that this version of the app names, and that of the version it replaces.
    package var group: String?
    package var formerGroup: String?
    /// Packs and downloads; nil until the manifest is there and they are chosen.
    package var items: [PlannedItem]?
    package var notes: [String] = []
    /// What went wrong with the app's extension.
    package var warnings: [String] = []

    package init(
        kind: Kind, event: Kind? = nil, app: String, displayName: String, version: String, source: String,
        archive: String? = nil,
        bundle: Int, baseSize: Int64, sourceChange: Timestamp? = nil,
        isManaged: Bool, isUnmanaged: Bool = false, essentialAllowance: Int64?, group: String? = nil
    ) {
        self.kind = kind
        self.event = event ?? kind
        self.app = app
        self.displayName = displayName
        self.version = version
        self.source = source
        self.archive = archive
        self.bundle = bundle
        self.baseSize = baseSize
        self.sourceChange = sourceChange
        self.isManaged = isManaged
        self.isUnmanaged = isUnmanaged
        self.essentialAllowance = essentialAllowance
        self.group = group
    }

    /// Bytes done and to do over the base app, its download, and essential packs: the one figure of C3.
    package var progress: (completed: Int64, total: Int64) {
        var completed = min(copied, baseSize)
        var total = baseSize
        if let hosted {
            completed = completed.addingClamped(min(hosted.fetched, hosted.build.archive.size))
            total = total.addingClamped(hosted.build.archive.size)
        }
        guard let items else {
            // Before the sizes are known the allowance stands for them.
            return (completed, total.addingClamped(isManaged || isUnmanaged ? essentialAllowance ?? 0 : 0))
        }
        for item in items where item.role == .essential {
            switch item.state {
            case .declined, .deferred, .held, .failed: continue
            case .finished: completed = completed.addingClamped(item.bytes)
            case .pending: completed = completed.addingClamped(min(item.downloaded, item.bytes))
            }
            total = total.addingClamped(item.bytes)
        }
        return (completed, total)
    }

    /// The event is a first installation, on a device that knows nothing of the app yet: the allowances are whole, and hold.
    var isFirstInstall: Bool { event == .install && (kind == .install || isSimulated) }

    func pending(_ roles: Set<PlannedItem.Role> = Set(PlannedItem.Role.allCases)) -> [PlannedItem] {
        (items ?? []).filter { roles.contains($0.role) && $0.state == .pending }
    }

    func item(_ key: PlannedItem.Key) -> PlannedItem? { items?.first { $0.key == key } }

    mutating func change(_ key: PlannedItem.Key?, _ body: (inout PlannedItem) -> Void) {
        guard let key, let index = items?.firstIndex(where: { $0.key == key }) else { return }
        items?[index].change(body)
    }
}

extension PlannedItem {
    fileprivate mutating func change(_ body: (inout PlannedItem) -> Void) { body(&self) }
}

extension Int64 {
    /// The sum, or the largest number there is.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
