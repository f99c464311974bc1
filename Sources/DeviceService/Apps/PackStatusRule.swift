// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol

/// Which bits of BA 1.10 are true of a pack.
enum PackStatusRule {
    /// - Parameters:
    ///   - local: the version that is local.
    ///   - offered: the version the manifest has.
    ///   - isManifestKnown: without a manifest nothing is obsolete.
    ///   - relativeTo: the version an app compares with instead of the offered one (26.4 `status(relativeTo:)`).
    ///   - isServerAsked: only then something counts as available over the network.
    static func status(
        local: Int?, offered: Int?, isManifestKnown: Bool, relativeTo: Int?, isDownloading: Bool, isServerAsked: Bool
    ) -> PackStatus {
        var status: PackStatus = isDownloading ? .downloading : []
        guard let local else {
            if offered != nil, isServerAsked { status.insert(.downloadAvailable) }
            return status
        }
        status.insert(.downloaded)
        guard let offered else {
            if isManifestKnown { status.insert(.obsolete) }
            return status
        }
        let wanted = relativeTo ?? offered
        if wanted == local {
            if isServerAsked { status.insert(.upToDate) }
        } else {
            status.insert(.outOfDate)
            // The update can be had only while the server still offers what the app compares with.
            if isServerAsked, wanted == offered { status.insert(.updateAvailable) }
        }
        return status
    }
}
