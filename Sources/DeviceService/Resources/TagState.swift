// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What there is of a tag, from what there is of its packs (F4): a pure rule.
enum TagState {
    /// What is known of one pack.
    struct Pack: Hashable, Sendable {
        var isLocal: Bool
        /// Its download is under way or waits; a paused one is not.
        var isDownloading = false
        /// Bytes of its archive that are here.
        var downloaded: Int64 = 0
        var isUsed = false
        /// It went to make room, and has not come back.
        var wasPurged = false
    }

    static func state(_ packs: [Pack]) -> ResourceTagState {
        // A tag without files needs nothing and is there.
        if packs.allSatisfy(\.isLocal) { return !packs.isEmpty && packs.allSatisfy(\.isUsed) ? .inUse : .downloaded }
        if packs.contains(where: { !$0.isLocal && $0.isDownloading }) { return .downloading }
        if packs.contains(where: { $0.isLocal || $0.downloaded > 0 }) { return .partiallyDownloaded }
        return packs.contains(where: \.wasPurged) ? .purged : .notDownloaded
    }
}
