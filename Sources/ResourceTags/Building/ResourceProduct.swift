// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Kit
import PackUpdates

/// What stands beside the packs that were built: the lists for the app, and the manifest for who serves them. Pure.
package struct ResourceProduct: Sendable {
    package let plan: ResourcePlan
    /// In the plan's order.
    package let outputs: [ResourceBuilder.Output]

    package init(plan: ResourcePlan, outputs: [ResourceBuilder.Output]) {
        self.plan = plan
        self.outputs = outputs
    }

    /// `AssetPackManifest.plist`
    package func assetPackManifest(_ address: AssetPackAddress) -> AssetPackManifestPlist {
        AssetPackManifestPlist(
            resources: outputs.map { output in
                .init(
                    packID: output.pack.id,
                    url: address.url(directoryName: output.pack.tags.directoryName(bundleID: plan.bundleID)),
                    contentHash: .modificationTime(output.modified),
                    uncompressedSize: output.pack.selection.totalSize, downloadPriority: output.pack.priority)
            })
    }

    /// The manifest for `BAManifestURL`. A pack whose archive is as before keeps its version and its patches, one that changed
    /// gets the next version. Indexes are listed.
    /// - Throws: `AssetPackError`
    package func downloadManifest(baseURL: String, previous: DownloadManifest? = nil) throws -> DownloadManifest {
        let builder = try DownloadManifestBuilder(
            platform: .linux, baseURL: baseURL, fileExtension: ResourceBuilder.archiveExtension)
        let before = Dictionary(previous?.assetPacks.map { ($0.id, $0) } ?? []) { first, _ in first }
        let versions = try outputs.map { output -> Int in
            guard let old = before[output.pack.id] else { return 0 }
            if old.larder?.digest.value == output.contents.digest { return old.version }
            guard old.version < Int.max - 1 else {
                throw AssetPackError(
                    .invalidArgument, "The version of \"\(output.pack.id)\" cannot rise above \(old.version).")
            }
            return old.version + 1
        }
        var manifest = try builder.create(outputs.map(\.contents), versions: versions)
        for (place, output) in outputs.enumerated() {
            let url = manifest.assetPacks[place].url
            if case .written(let index) = output.index {
                manifest.assetPacks[place].larder?.index = index.listing(packURL: url)
            }
            guard let old = before[output.pack.id]?.larder, old.digest.value == output.contents.digest else { continue }
            manifest.assetPacks[place].larder?.patches = old.patches.map {
                .init(from: $0.from, base: $0.base, packURL: url, size: $0.file.size, sha256: $0.file.sha256)
            }
        }
        manifest.larder = previous?.larder
        manifest.other = previous?.other ?? [:]
        return manifest
    }

    /// What the app's `Info.plist` has to allow, in bytes.
    package struct Allowances: Hashable, Sendable {
        /// `BAEssentialDownloadAllowance` and `BADownloadAllowance`
        package var essentialDownload: Int64 = 0
        package var download: Int64 = 0
        /// `BAEssentialMaxInstallSize` and `BAMaxInstallSize`
        package var essentialInstall: Int64 = 0
        package var install: Int64 = 0
    }

    package var allowances: Allowances {
        var result = Allowances()
        for output in outputs {
            switch output.pack.downloadPolicy {
            case .essential:
                result.essentialDownload += output.contents.archiveSize
                result.essentialInstall += output.contents.installedSize
            case .prefetch:
                result.download += output.contents.archiveSize
                result.install += output.contents.installedSize
            case .onDemand: break
            }
        }
        return result
    }
}
