// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import System

@main
struct Game {
    static func main() async throws {
        let player = Player()
        do {
            try await player.playIntroduction()
        } catch ManagedBackgroundAssetsError.fileNotFound(let path) {
            print("No file at \(path).")
        } catch ManagedBackgroundAssetsError.assetPackNotFound(let assetPackID) {
            print("No asset pack \(assetPackID).")
        } catch {
            print(error.localizedDescription)
        }
    }
}

/// Getting the packs that are not there yet.
actor Player {
    private let manager = AssetPackManager.shared
    private(set) var fractionCompleted = 0.0

    func playIntroduction() async throws {
        let manifest = try await AssetPackManager.shared.manifest
        guard let assetPack = manifest.assetPack(withID: "Tutorial") else {
            throw ManagedBackgroundAssetsError.assetPackNotFound(withID: "Tutorial")
        }

        // Await status updates for progress information.
        Task {
            let statusUpdates = AssetPackManager.shared.statusUpdates(forAssetPackWithID: "Tutorial")
            for await statusUpdate in statusUpdates {
                switch statusUpdate {
                case .began(let assetPack):
                    print("Began \(assetPack.id), \(assetPack.downloadSize) bytes")
                case .paused(let assetPack):
                    print("Paused \(assetPack.id)")
                case .downloading(_, let progress):
                    note(progress.fractionCompleted)
                case .finished(let assetPack):
                    print("Finished version \(assetPack.version)")
                case .failed(let assetPack, let error):
                    print("Failed \(assetPack.id): \(error)")
                @unknown default:
                    print("Unknown update")
                }
            }
        }

        // Download the asset pack.
        try await AssetPackManager.shared.ensureLocalAvailability(of: assetPack)

        let videoData = try AssetPackManager.shared.contents(at: "Videos/Introduction.m4v")
        print(videoData.count)
    }

    func note(_ fraction: Double) { fractionCompleted = fraction }

    func followAll() async {
        for await update in await manager.statusUpdates {
            if case .downloading(_, let progress) = update, progress.fractionCompleted > 0.5 { progress.cancel() }
        }
    }
}

/// Localised packs.
func chooseLanguage() async throws {
    let manager = AssetPackManager.shared
    let manifest = try await manager.manifest
    print(manifest.primaryLanguage?.minimalIdentifier ?? "none", manifest.availableLanguages.count)
    guard manifest.resolvedLanguage != manager.resolvedLanguage else { return }
    let french = Locale.Language(identifier: "fr-CA")
    let frenchPacks: Set<AssetPack> = manifest.localizedAssetPacks(for: french)
    let size = manifest.localizedAssetPacks.union(frenchPacks).map(\.downloadSize).reduce(0, +)
    print(size, frenchPacks.first?.language?.languageCode?.identifier ?? "none")

    manager.resolvedLanguage = french
    do {
        try await manager.reconcilePreferredLanguages()
    } catch let error as LocalAvailabilityError {
        for (assetPack, reason) in error.failures { print(assetPack.id, reason) }
    }
    for language in await manager.locallyAvailableLanguages {
        let data = try manager.contents(at: "Narration/Welcome.m4a", asLocalizedFor: language, options: .mappedIfSafe)
        let descriptor = try manager.descriptor(for: "Narration/Welcome.m4a", asLocalizedFor: language)
        try descriptor.close()
        let folder: URL = try manager.url(for: "Narration", asLocalizedFor: language)
        print(data.count, folder)
    }
    manager.resolvedLanguage = nil
    let version = try manager.localVersion(ofAssetPackWithID: "Tutorial")
    let allocated: Int64 = try await manager.localSize(ofAssetPackWithID: "Tutorial", calculationMethod: .allocated)
    print(version, allocated)
}

/// The files.
func readFiles(of manager: AssetPackManager) throws {
    let mapped: Data = try manager.contents(at: FilePath("Videos/Introduction.m4v"))
    let copied = try manager.contents(
        at: "Videos/Introduction.m4v", searchingInAssetPackWithID: "Tutorial", options: [.uncached])
    precondition(mapped == copied)

    let descriptor = try manager.descriptor(for: "Videos/Introduction.m4v")
    defer { try? descriptor.close() }
    var header = [UInt8](repeating: 0, count: 16)
    let count = try header.withUnsafeMutableBytes { try descriptor.read(into: $0) }
    print(count)

    let scoped = try manager.descriptor(for: "Videos/Introduction.m4v", searchingInAssetPackWithID: "Tutorial")
    try scoped.closeAfter {}

    let directory: URL = try manager.url(for: "Videos")
    print(try FileManager.default.contentsOfDirectory(atPath: directory.path))
}

/// Status and upkeep.
func keepUp(with manager: AssetPackManager) async throws {
    let packs: Set<AssetPack> = try await manager.manifest.assetPacks
    for pack in packs.sorted(by: { $0.id < $1.id }) {
        let status: AssetPack.Status = try await manager.status(relativeTo: pack)
        if status.contains(.updateAvailable) {
            try await manager.ensureLocalAvailability(of: pack, requireLatestVersion: true)
        }
        let local = await manager.localStatus(ofAssetPackWithID: pack.id)
        if local.contains(.downloaded), !manager.assetPackIsAvailableLocally(withID: pack.id) { return }
        if local.contains(.obsolete) { try await manager.remove(assetPackWithID: pack.id) }
        if let information = pack.userInfo { _ = try JSONSerialization.jsonObject(with: information) }
        let version: Int = try manager.localVersion(ofAssetPackWithID: pack.id)
        let size: Int64 = try await manager.localSize(ofAssetPackWithID: pack.id, calculationMethod: .logical)
        print(version == pack.version, size)
        let language: Locale.Language? = pack.language
        print(language?.minimalIdentifier ?? "all languages")
    }

    try await manager.checkForUpdates()
    let (updatingIDs, removedIDs) = try await manager.checkForUpdates()
    print(updatingIDs.union(removedIDs).sorted())

    do {
        try await manager.ensureLocalAvailability(of: packs)
        try await manager.ensureLocalAvailability(of: packs, requireLatestVersions: true)
    } catch let error as LocalAvailabilityError {
        for (pack, reason) in error.failures { print(pack.id, reason) }
        print(error.successes.count)
    }
}

/// What was deprecated still compiles.
@available(*, deprecated)
func oldWays(with manager: AssetPackManager) async throws {
    let packs: Set<AssetPack> = try await manager.allAssetPacks
    let pack: AssetPack = try await manager.assetPack(withID: "Tutorial")
    let status: AssetPack.Status = try await manager.status(ofAssetPackWithID: pack.id)
    let ensure: (AssetPack) async throws -> Void = manager.ensureLocalAvailability(of:)
    try await ensure(pack)
    print(packs.contains(pack), status == [.upToDate, .downloaded])
}

/// Packs managed by hand.
func downloads(from file: URL) throws -> Set<BADownload> {
    let manifest = try AssetPackManifest(contentsOf: file, appGroupID: "group.com.example.Game")
    let same = try AssetPackManifest(from: Data(contentsOf: file), appGroupID: "group.com.example.Game")
    precondition(manifest.assetPacks.count == same.assetPacks.count)
    for pack in manifest.assetPacks {
        let download: BADownload = pack.download(for: nil)
        print(download.identifier, download.priority == .default, download.isEssential, download.state == .created)
    }
    return manifest.allDownloads(for: .install)
}
