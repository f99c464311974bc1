// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System
package import TestSupport

/// A sample app with on-demand resources: the lists in its bundle, and a pack for each set of tags.
package struct TaggedApp: Sendable {
    /// A pack's tags, and its files by their paths in the bundle.
    package struct Part: Sendable {
        package var tags: Set<String>
        package var files: [String: [UInt8]]
        package var policy: String
        package var priority: Double?

        package init(
            _ tags: Set<String>, _ files: [String: [UInt8]], policy: String = "onDemand", priority: Double? = nil
        ) {
            self.tags = tags
            self.files = files
            self.policy = policy
            self.priority = priority
        }

        /// The names of packs are any that are unlike each other; the real ones are made by `larder odr build`.
        package var packID: String { "\(SampleApp.bundleID).asset-pack-\(tags.sorted().joined(separator: "-"))" }
    }

    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// Makes the packs' archives.
    package func packs(in scratch: Scratch) throws -> [SamplePack] {
        try parts.map { part in
            try SamplePack.make(
                part.packID, policy: part.policy, files: part.files, in: scratch)
        }
    }

    /// Writes the bundle.
    /// - Parameter extra: packs that the list names besides, by tag; nobody has made them.
    package func write(
        into scratch: Scratch, manifestURL: String, extra: [String: String] = [:],
        _ change: (inout SampleApp) -> Void = { _ in }
    ) throws -> FilePath {
        var app = SampleApp()
        app.manifestURL = manifestURL
        app.files = [
            "OnDemandResources.plist": Array(list(extra).utf8), "AssetPackManifest.plist": Array(manifest.utf8),
        ]
        change(&app)
        return try app.write(into: scratch, named: "Probe\(app.version.filter(\.isNumber))")
    }

    /// `OnDemandResources.plist` and `AssetPackManifest.plist`
    package var lists: (list: String, manifest: String) { (list([:]), manifest) }

    private func list(_ extra: [String: String]) -> String {
        var packs: [String: Set<String>] = extra.mapValues { [$0] }
        for part in parts { for tag in part.tags { packs[tag, default: []].insert(part.packID) } }
        let tags = packs.sorted { $0.key < $1.key }.map { tag, ids in
            "<key>\(tag)</key><dict><key>NSAssetPacks</key><array>"
                + ids.sorted().map { "<string>\($0)</string>" }.joined() + "</array></dict>"
        }
        let files = parts.map { part in
            "<key>\(part.packID)</key><array>" + part.files.keys.sorted().map { "<string>\($0)</string>" }.joined()
                + "</array>"
        }
        return AppFixture.plist([
            "NSBundleResourceRequestTags": "<dict>\(tags.joined())</dict>",
            "NSBundleResourceRequestAssetPacks": "<dict>\(files.joined())</dict>",
        ])
    }

    private var manifest: String {
        let resources = parts.map { part in
            "<dict><key>bundleKey</key><string>\(part.packID)</string><key>URL</key><string>http://127.0.0.1/x</string>"
                + (part.priority.map { "<key>downloadPriority</key><real>\($0)</real>" } ?? "") + "</dict>"
        }
        return AppFixture.plist(["resources": "<array>\(resources.joined())</array>"])
    }
}
