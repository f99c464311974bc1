// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import PackNamespace

/// What is recorded of a pack when all of it is staged, checked and on the disk: enough to finish its commit after a
/// crash, without the database.
struct PackSeal: Codable, Hashable, Sendable {
    var format = StagingIdentity.currentFormat
    var id: String
    var version: UInt64
    /// Where its files go, relative to the app root; a name that was never used before.
    var directory: String
    var language: String?
    /// JSON text.
    var userInfo: String?
    var policy: String?
    var downloadSize: UInt64
    var installedSize: UInt64
    var allocatedSize: UInt64
    var fileCount: UInt64
    /// Bytes of the journal that count.
    var journalLength: UInt64

    var namespacePack: NamespacePack {
        NamespacePack(
            id: id, version: version, directory: directory, language: language, userInfo: userInfo, policy: policy,
            downloadSize: downloadSize, installedSize: installedSize, allocatedSize: allocatedSize, fileCount: fileCount
        )
    }
}
