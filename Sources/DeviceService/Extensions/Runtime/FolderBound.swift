// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Kit
import System

/// How much an extension may have in a folder that it writes.
struct FolderBound: Hashable, Sendable {
    enum Folder: String, Hashable, Sendable {
        case scratch
        /// Shared with the app; downloads that nobody has taken yet do not count.
        case group
    }

    /// What an extension may have in its scratch folder unless the settings say otherwise, in bytes.
    static let standard: Int64 = 256 << 20
    /// What an entry takes at the least, so that empty files are not free, in bytes.
    private static let leastEntry: Int64 = 4096

    var folder: Folder
    var path: FilePath
    /// In bytes on the disk.
    var limit: Int64

    /// Whether more is in the folder. It looks no further than it has to. Blocks.
    func isExceeded() -> Bool { ((try? size(upTo: limit)) ?? 0) > limit }

    /// What is in the folder, or something above `most`. Blocks.
    /// - Throws: `Errno`
    func size(upTo most: Int64 = .max) throws -> Int64 {
        let size = try TreeSize.measure(path, except: folder == .group ? DownloadPlaces.filesName : nil, upTo: most)
        return size.weight(ofEntry: Self.leastEntry)
    }

    /// What apps may have unpacked before the first launch: their install sizes, or where they name none the allowances.
    /// nil where nothing restricts them.
    static func allowance(_ keys: BackgroundAssetsKeys) -> Int64? {
        guard let other = keys.maxInstallSize ?? keys.restrictions?.downloadAllowance,
            let essential = keys.essentialMaxInstallSize ?? keys.restrictions?.essentialDownloadAllowance
        else { return nil }
        return other.addingClamped(essential)
    }

    /// The bounds of a run.
    /// - Parameters:
    ///   - storage: the setting `extensionStorage`; nil bounds nothing.
    ///   - wasLaunched: then the group's folder is the app's own affair.
    ///   - present: what is in the group's folder when the run begins: others may have put it there, and may have more.
    static func all(
        of subject: ExtensionSubject, storage: Int64?, wasLaunched: Bool, present: (FolderBound) -> Int64
    ) -> [FolderBound] {
        guard let storage else { return [] }
        var bounds = [FolderBound(folder: .scratch, path: subject.scratch, limit: storage)]
        if !wasLaunched, let group = subject.group, let allowance = subject.groupAllowance {
            var bound = FolderBound(folder: .group, path: group, limit: allowance.addingClamped(storage))
            let present = present(bound)
            if present > allowance { bound.limit = present.addingClamped(storage) }
            bounds.append(bound)
        }
        return bounds
    }
}
