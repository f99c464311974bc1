// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import ResourceTags
import System

/// The tags of an app on this device, as the lists in its bundle say (BA 6.2).
struct InstalledTags: Hashable, Sendable {
    let packIDsByTag: [String: [String]]
    let tagsByPackID: [String: [String]]
    /// In which order packs are fetched by themselves; the greater comes first.
    let downloadPriorities: [String: Double]

    init(packIDsByTag: [String: [String]], downloadPriorities: [String: Double] = [:]) {
        self.packIDsByTag = packIDsByTag
        self.downloadPriorities = downloadPriorities
        var tags: [String: [String]] = [:]
        for (tag, ids) in packIDsByTag { for id in ids { tags[id, default: []].append(tag) } }
        tagsByPackID = tags.mapValues { $0.sorted() }
    }

    /// Reads the lists of the app in a folder. Blocks.
    /// - Returns: nil when the app has no on-demand resources.
    /// - Throws: `BundleError` or `ResourceTagsError`, which name the file.
    init?(app: FilePath) throws {
        let here = FileDescriptor.currentDirectory
        let list = app.appending(OnDemandResourcesPlist.fileName)
        guard here.exists(at: list) else { return nil }
        let resources = try AssetPackManifestPlist(ofApp: app)?.resources ?? []
        let priorities = resources.compactMap { resource in
            resource.downloadPriority.map { (resource.packID, $0) }
        }
        self.init(
            packIDsByTag: try OnDemandResourcesPlist(contentsOf: list).packIDsByTag,
            downloadPriorities: Dictionary(priorities) { max($0, $1) })
    }

    func has(pack: String) -> Bool { tagsByPackID[pack] != nil }

    /// The packs of some tags.
    /// - Throws: `DeviceError` with code `unknownTag`
    func packs(of tags: [String], app: String) throws(DeviceError) -> Set<String> {
        let unknown = tags.filter { packIDsByTag[$0] == nil }.sorted()
        guard unknown.isEmpty else {
            let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
            throw DeviceError(
                .unknownTag,
                "\(app) has no resources with the tag\(unknown.count == 1 ? "" : "s") \(names). "
                    + "`larder odr status \(app)` lists its tags.", details: ["tags": unknown.joined(separator: " ")])
        }
        return Set(tags.flatMap { packIDsByTag[$0] ?? [] })
    }

    /// How long a pack is kept when the disk becomes full: as long as the tag that is kept longest.
    func preservation(of pack: String, _ priorities: [String: Double]) -> Preservation {
        Preservation(.whole, priority: (tagsByPackID[pack] ?? []).map { priorities[$0] ?? 0 }.max() ?? 0)
    }
}
