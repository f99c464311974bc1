// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

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
    }

    package var kind: Kind
    package var app: String
    package var displayName: String
    package var version: String
    /// The folder the base app is copied from; of an archive, the one it is unpacked to.
    package var source: String
    /// The archive the base app comes in; nil when it is a folder.
    package var archive: String?
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
    /// nil until the manifest is there and the packs are chosen.
    package var packs: [PlannedPack]?
    package var notes: [String] = []

    package init(
        kind: Kind, app: String, displayName: String, version: String, source: String, archive: String? = nil,
        bundle: Int, baseSize: Int64, sourceChange: Timestamp? = nil,
        isManaged: Bool, isUnmanaged: Bool = false, essentialAllowance: Int64?
    ) {
        self.kind = kind
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
    }

    /// Bytes done and to do over base app and essential packs: the one figure of C3.
    package var progress: (completed: Int64, total: Int64) {
        var completed = min(copied, baseSize)
        var total = baseSize
        guard let packs else {
            // Before the sizes are known the allowance stands for them.
            return (completed, total.addingClamped(isManaged || isUnmanaged ? essentialAllowance ?? 0 : 0))
        }
        for planned in packs where planned.role == .essential {
            switch planned.state {
            case .declined, .deferred, .held, .failed: continue
            case .finished: completed = completed.addingClamped(planned.pack.downloadSize)
            case .pending: completed = completed.addingClamped(min(planned.downloaded, planned.pack.downloadSize))
            }
            total = total.addingClamped(planned.pack.downloadSize)
        }
        return (completed, total)
    }

    func pending(_ roles: Set<PlannedPack.Role>) -> [PlannedPack] {
        (packs ?? []).filter { roles.contains($0.role) && $0.state == .pending }
    }

    mutating func change(_ id: String, _ body: (inout PlannedPack) -> Void) {
        guard let index = packs?.firstIndex(where: { $0.pack.id == id }) else { return }
        packs?[index].change(body)
    }
}

extension PlannedPack {
    fileprivate mutating func change(_ body: (inout PlannedPack) -> Void) { body(&self) }
}

extension Int64 {
    /// The sum, or the largest number there is.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
