// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension DownloadManifest {
    /// What of the manifest somebody else could exchange without breaking a signature, told in a sentence; nil when
    /// everything it leads to is fixed by digests.
    package var uncovered: String? {
        for pack in assetPacks where pack.larder == nil {
            return "the pack \"\(pack.id)\" has no digest, so anything could be sent in its place"
        }
        return nil
    }

    /// - Throws: `ManifestRefusal` when something is not fixed by a digest.
    package func requireCoverage() throws(ManifestRefusal) {
        if let uncovered {
            throw ManifestRefusal(
                .coverage,
                "The manifest is signed, but \(uncovered). Make it with `ba-package download-manifest`, which "
                    + "writes digests."
            )
        }
    }

    /// Takes signatures away that no longer fit.
    /// - Returns: whether there were any.
    package mutating func dropSignatures() -> Bool {
        guard larder?["signatures"] != nil else { return false }
        var manifest = SignedManifest(["larder": larder ?? .null])
        manifest.removeSignatures()
        larder = manifest.document["larder"]
        return true
    }
}
