// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Languages

/// Compares packs with a download manifest that promises them. Pure.
package enum PackVerification {
    /// What is not as promised, one sentence each; empty when all is well.
    package static func differences(of pack: PackContents, from entry: DownloadManifestPack) -> [String] {
        var found: [String] = []
        func compare<Value: Equatable>(_ what: String, _ actual: Value, _ promised: Value, _ unit: String = "") {
            guard actual != promised else { return }
            found.append("\(what) is \(actual)\(unit), but the download manifest says \(promised)\(unit)")
        }
        compare("the archive's size", pack.archiveSize, entry.downloadSize, " bytes")
        if let larder = entry.larder {
            compare("the archive's digest", pack.digest, larder.digest.value)
            compare("the installed size", pack.installedSize, larder.installedSize, " bytes")
            compare("the number of files", pack.fileCount, larder.fileCount)
        }
        compare("the download policy", pack.manifest.downloadPolicy, entry.downloadPolicy)
        compare("the language", pack.manifest.language?.description ?? "none", entry.language ?? "none")
        if pack.manifest.userInfo ?? [:] != entry.userInfo ?? [:] {
            found.append("userInfo is not what the download manifest says")
        }
        return found
    }
}
