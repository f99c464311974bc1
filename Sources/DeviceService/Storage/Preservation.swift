// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol

/// How long something is kept when the disk becomes full; what is lower goes first (C10).
///
/// Managed packs have none: they stay until they are removed.
struct Preservation: Hashable, Sendable, Comparable {
    enum Kind: Int, Hashable, Sendable {
        /// What is left of a download that failed: with it the next try would be shorter, no more.
        case rest
        /// Something whole that can be had again.
        case whole
    }

    let kind: Kind
    /// As `Bundle.setPreservationPriority` takes it: from 0, which goes first, to 1.
    let priority: Double

    init(_ kind: Kind, priority: Double = 0) {
        self.kind = kind
        self.priority = priority.isNaN ? 0 : min(max(priority, 0), 1)
    }

    /// Of an unmanaged download's file. Background Assets has no preservation priorities: what is essential is kept longest,
    /// and among the others what the app wanted first, `BADownload.Priority.min` being 0, the default one half and `max` 1.
    init(_ download: DownloadDescription) {
        let priority = Double(min(max(download.priority, -100), 100))
        self.init(.whole, priority: download.isEssential ? 1 : (priority + 100) / 200)
    }

    static func < (left: Preservation, right: Preservation) -> Bool {
        (left.kind.rawValue, left.priority) < (right.kind.rawValue, right.priority)
    }
}
