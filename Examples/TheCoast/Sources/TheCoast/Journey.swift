// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import System

/// The packs of The Coast, as their manifests in `Packs` name them.
enum Pack {
    /// Essential: there before the app can be opened.
    static let tutorial = "Tutorial"
    /// Prefetch: begins with the installation and may come later.
    static let islands = "Islands"
    /// On demand: comes when asked for.
    static let voyage = "Voyage"
}

/// One visit: every way to wait for a pack and to read its files.
struct Journey {
    let journal: Journal
    let options: Options
    let manager = AssetPackManager.shared
    let clock = ContinuousClock()

    func run() async throws {
        try readTutorial()
        try await waitForIslands()
        let voyage = try await lookAtVoyage()
        if options.cancel { try await cancelTwice(voyage) }
        try await fetch(voyage)
        let files = try readVoyage()
        try mergeDirectories()
        try await remove(voyage, holding: files)
        try await fetch(voyage)
        try expect(try readVoyage() == files, "\(Pack.voyage) is not the same after it was fetched again")
        try await checkForUpdates()
    }

    /// The essential pack is there, whatever the network does.
    private func readTutorial() throws {
        try expect(
            manager.assetPackIsAvailableLocally(withID: Pack.tutorial), "\(Pack.tutorial) is essential and not there")
        let (set, took) = try timed { try manager.contents(at: "Sets/easy.txt") }
        let title = String(decoding: set.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        journal.note("read", "Tutorial: “\(title)” is here at once", bytes: set.count, took: took, pack: Pack.tutorial)
        let (levels, all) = try timed { try read(levelsNamedIn: set, of: "easy") }
        try expect(levels.count >= 20, "only \(levels.count) levels are named in Sets/easy.txt")
        journal.note(
            "read", "Tutorial: \(levels.count) levels mapped and read", bytes: levels.bytes, took: all,
            pack: Pack.tutorial)
    }

    /// The prefetch pack is on its way: its files are not found yet, and its updates tell when they are.
    private func waitForIslands() async throws {
        let updates = manager.statusUpdates(forAssetPackWithID: Pack.islands)
        if manager.assetPackIsAvailableLocally(withID: Pack.islands) {
            try expect(!options.requireWait, "\(Pack.islands) was here at once; nothing had to be waited for")
            journal.note("wait", "Islands: already here", pack: Pack.islands)
        } else {
            try expectNotFound("Sets/medium.txt", in: nil)
            journal.note("wait", "Islands: not here yet; waiting for it", pack: Pack.islands)
            let begun = clock.now
            try await follow(updates)
            journal.note("wait", "Islands: has come", took: clock.now - begun, pack: Pack.islands)
        }
        try expect(
            manager.assetPackIsAvailableLocally(withID: Pack.islands), "\(Pack.islands) finished but is not there")
        let (levels, took) = try timed {
            try read(levelsNamedIn: try manager.contents(at: "Sets/medium.txt"), of: "medium")
        }
        journal.note(
            "read", "Islands: \(levels.count) levels mapped and read", bytes: levels.bytes, took: took,
            pack: Pack.islands)
    }

    /// What is known of the on-demand pack before it is fetched.
    private func lookAtVoyage() async throws -> AssetPack {
        let manifest = try await manager.manifest
        guard let voyage = manifest.assetPack(withID: Pack.voyage) else {
            throw Trouble("the manifest has no \(Pack.voyage)")
        }
        if manager.assetPackIsAvailableLocally(withID: voyage.id) {
            // A second visit begins like the first.
            try await manager.remove(assetPackWithID: voyage.id)
        }
        let status = try await manager.status(relativeTo: voyage)
        try expect(status.contains(.downloadAvailable), "\(voyage.id) should be available, but is \(status)")
        try expect(await manager.localStatus(ofAssetPackWithID: voyage.id) == [], "\(voyage.id) should not be local")
        journal.note(
            "manifest", "Voyage: version \(voyage.version) can be downloaded", bytes: voyage.downloadSize,
            pack: voyage.id)
        return voyage
    }

    /// Asks for the pack, and watches it come.
    private func fetch(_ pack: AssetPack) async throws {
        let updates = manager.statusUpdates(forAssetPackWithID: pack.id)
        let begun = clock.now
        async let followed: Void = follow(updates)
        try await manager.ensureLocalAvailability(of: pack)
        let took = clock.now - begun
        try await followed
        let status = try await manager.status(relativeTo: pack)
        try expect(
            status.isSuperset(of: [.downloaded, .upToDate]), "\(pack.id) should be up to date, but is \(status)")
        journal.note("fetch", "\(pack.id): fetched on demand", bytes: pack.downloadSize, took: took, pack: pack.id)
    }

    /// Cancels a download while it runs, and again.
    private func cancelTwice(_ pack: AssetPack) async throws {
        for turn in 1...2 {
            let updates = manager.statusUpdates(forAssetPackWithID: pack.id)
            async let cancelled = cancelFirstProgress(in: updates)
            do {
                try await manager.ensureLocalAvailability(of: pack)
                throw Trouble("\(pack.id) came although it was cancelled")
            } catch let error as URLError where error.code == .cancelled {
                try expect(await cancelled, "the updates did not tell that \(pack.id) was cancelled")
            }
            try expect(!manager.assetPackIsAvailableLocally(withID: pack.id), "\(pack.id) is there though cancelled")
            journal.note("cancel", "\(pack.id): cancelled, time \(turn)", pack: pack.id)
        }
    }

    /// Removes the pack while the app holds files of it: they stay whole, and new reads find nothing.
    private func remove(_ pack: AssetPack, holding files: [String: Data]) async throws {
        let copies = try files.keys.map { ($0, try manager.contents(at: FilePath("Music/\($0)"), options: [])) }
        let descriptor = try manager.descriptor(for: "Music/track2.ogg")
        defer { try? descriptor.close() }
        let (_, took) = try await timed { try await manager.remove(assetPackWithID: pack.id) }
        try expectNotFound("Music/track1.ogg", in: nil)
        try expectNotFound("Music/track1.ogg", in: pack.id)
        try expect(!manager.assetPackIsAvailableLocally(withID: pack.id), "\(pack.id) is there though removed")
        try expect(copies.allSatisfy { files[$0] == $1 }, "a mapped file changed when its pack was removed")
        var magic = [UInt8](repeating: 0, count: 4)
        let count = try magic.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        try expect(count == 4 && magic == Array("OggS".utf8), "an open file changed when its pack was removed")
        journal.note("remove", "\(pack.id): removed; what was open stays whole", took: took, pack: pack.id)
    }

    private func checkForUpdates() async throws {
        let ((updating, removed), took) = try await timed { try await manager.checkForUpdates() }
        try expect(
            updating.isEmpty && removed.isEmpty, "an update check found \(updating) to update, \(removed) to remove")
        journal.note("updates", "Asked for updates: all packs are current", took: took)
    }
}
