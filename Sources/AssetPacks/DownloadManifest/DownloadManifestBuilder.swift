// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Languages

/// Makes and updates download manifests from packs (BA 3.1, 3.4). Pure.
package struct DownloadManifestBuilder: Sendable {
    package let platform: AssetPackPlatform
    private let baseURL: String?
    private let fileExtension: String

    /// - Parameters:
    ///   - baseURL: where the archives will be; a pack's URL is this and its identifier.
    ///   - fileExtension: what follows the identifier, with its dot; Apple's tool writes none.
    /// - Throws: `AssetPackError`
    package init(platform: AssetPackPlatform, baseURL: String?, fileExtension: String = "") throws {
        self.platform = platform
        self.fileExtension = fileExtension
        guard let baseURL else {
            self.baseURL = nil
            return
        }
        let problem =
            DownloadURL.problem(with: baseURL, allowingPlainLoopback: true)
            ?? (baseURL.contains { $0 == "?" || $0 == "#" }
                ? "has a query or fragment, where a pack's name must follow" : nil)
        if let problem {
            throw AssetPackError(.invalidArgument, "The download base URL \"\(baseURL)\" \(problem).")
        }
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
    }

    /// - Parameters:
    ///   - versions: one for each pack, in order; empty for 0 each.
    ///   - primaryLanguage: what people fall back to whose languages no pack has; a BCP 47 tag.
    /// - Throws: `AssetPackError`
    package func create(
        _ packs: [PackContents], versions: [Int] = [], primaryLanguage: String? = nil
    ) throws -> DownloadManifest {
        guard versions.isEmpty || versions.count == packs.count else {
            throw AssetPackError(
                .invalidArgument,
                "There are \(packs.count) packs but \(versions.count) versions; give one version for each pack, "
                    + "in order."
            )
        }
        try check(packs)
        var manifest = DownloadManifest(
            assetPacks: try packs.enumerated().map { index, pack in
                try entry(for: pack, version: versions.isEmpty ? 0 : versions[index])
            })
        if let primaryLanguage { manifest.larder = ["primaryLanguage": .string(try Self.tag(primaryLanguage))] }
        return manifest
    }

    private static func tag(_ text: String) throws -> String {
        do throws(LanguageTag.Problem) {
            return try LanguageTag(text).description
        } catch {
            throw AssetPackError(
                .invalidArgument,
                "The primary language \"\(text)\" \(error.reason). Write a BCP 47 tag such as "
                    + "\(error.suggestion ?? "en-GB").")
        }
    }

    /// What an update changed.
    package struct Update: Hashable, Sendable {
        package let manifest: DownloadManifest
        /// Each given pack with its version before (nil when it is new) and now.
        package let changes: [Change]

        package struct Change: Hashable, Sendable {
            package let id: String
            package let from: Int?
            package let to: Int
        }
    }

    /// Raises the versions of exactly the given packs and takes over what their archives say. A pack that the manifest
    /// does not know is added with version 0. Keys of others stay; the index and the patches of earlier archives are listed no
    /// more.
    /// - Throws: `AssetPackError`
    package func update(
        _ manifest: DownloadManifest, with packs: [PackContents]
    ) throws -> Update {
        try check(packs)
        var manifest = manifest
        var changes: [Update.Change] = []
        for pack in packs {
            let id = pack.manifest.assetPackID
            guard let index = manifest.assetPacks.firstIndex(where: { $0.id == id }) else {
                manifest.assetPacks.append(try entry(for: pack, version: 0))
                changes.append(.init(id: id, from: nil, to: 0))
                continue
            }
            let old = manifest.assetPacks[index]
            let (version, overflow) = old.version.addingReportingOverflow(1)
            guard !overflow, version < Int.max else {
                throw AssetPackError(.invalidArgument, "The version of \"\(id)\" cannot rise above \(old.version).")
            }
            var new = try entry(for: pack, version: version, url: baseURL == nil ? old.url : nil)
            new.host = old.host
            new.other = old.other
            new.larder?.other = old.larder?.other ?? [:]
            manifest.assetPacks[index] = new
            changes.append(.init(id: id, from: old.version, to: version))
        }
        return Update(manifest: manifest, changes: changes)
    }

    private func entry(
        for pack: PackContents, version: Int, url: String? = nil
    ) throws -> DownloadManifestPack {
        let id = pack.manifest.assetPackID
        guard let url = url ?? baseURL.map({ "\($0)/\(id)\(fileExtension)" }) else {
            throw AssetPackError(
                .invalidArgument, "The pack \"\(id)\" is new to the manifest; give --download-base-url for its URL.")
        }
        let info = DownloadManifestPack.LarderInfo(
            digest: .init(value: pack.digest), installedSize: pack.installedSize, fileCount: pack.fileCount)
        return DownloadManifestPack(
            id: id, url: url, version: version, downloadSize: pack.archiveSize,
            downloadPolicy: pack.manifest.downloadPolicy, userInfo: pack.manifest.userInfo,
            language: pack.manifest.language?.description, larder: info)
    }

    private func check(_ packs: [PackContents]) throws {
        var seen: Set<String> = []
        for pack in packs {
            let id = pack.manifest.assetPackID
            guard seen.insert(id).inserted else {
                throw AssetPackError(.conflict, "Two of the archives hold the pack \"\(id)\". Give each pack once.")
            }
            guard pack.manifest.supports(platform) else {
                let platforms = pack.manifest.platforms.sorted().map(\.rawValue)
                throw AssetPackError(
                    .invalidArgument,
                    "The pack \"\(id)\" is for \(ManifestReader.list(platforms)) and not for \"\(platform.rawValue)\". "
                        + "Leave it out, or add the platform to its manifest.")
            }
        }
    }
}
