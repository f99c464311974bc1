// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import PackUpdates

/// The files that listed patches start from. A list and the patch that it belongs to start from the same, which are read once.
/// Blocks.
struct PatchStarts {
    private let versions: LocalVersions
    private let own: UpdateFetch.Own?
    private var last: (archive: String, files: PackListBase?)?

    init(_ versions: LocalVersions, to own: UpdateFetch.Own?) {
        self.versions = versions
        self.own = own
    }

    /// nil when they are not known, or too many.
    mutating func files(of patch: PackDownload.ListedPatch) -> PackListBase? {
        if let last, last.archive == patch.base { return last.files }
        let files = versions.listBase(of: patch, to: own)
        last = (patch.base, files)
        return files
    }
}
