// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Database
import DeviceProtocol
import Kit
import System

extension DownloadStore {
    // MARK: - Scheduling

    /// Takes a download; it is journaled when this returns.
    /// - Throws: `DeviceError` with the code of BA 1.8 that says why not.
    func schedule(
        _ description: DownloadDescription, app: String, by asker: DownloadRules.Asker, isForeground: Bool = false
    ) async throws {
        try await inTurn {
            try refuseWhenClosed()
            if isTaken(description, app) { return }
            if asker == .extension, answering.contains(app) {
                throw DeviceError(
                    .callFromExtensionNotAllowed,
                    "While the extension is asked what to download it can schedule nothing. Return "
                        + "\(description.identifier) instead.")
            }
            var facts = try await facts(app, for: description)
            let key = TransferKey(app: app, download: description.identifier)
            try DownloadRules.check(description, by: asker, facts)
            try await tools.groups.permit(app, downloadsInto: description.appGroup, beside: self)
            if asker == .extension {
                facts.prohibition = try await prohibition(app)
                try DownloadRules.checkBackground(description, facts)
            }
            try await makeWay(for: key)
            try DownloadRules.restrict(description, &facts)
            _ = try await add([description], app: app, state: .waiting, isForeground: isForeground, facts)
        }
    }

    /// Starts a download at once, or promotes the one that is there; no byte of it is lost.
    func startForeground(_ description: DownloadDescription, app: String, isInFront: Bool) async throws {
        guard isInFront else {
            throw DeviceError(
                .callFromInactiveProcessNotAllowed,
                "\(app) runs in the background, where it cannot start foreground downloads. Schedule it instead.")
        }
        let key = TransferKey(app: app, download: description.identifier)
        let isKnown = try await inTurn { () -> Bool in
            guard let known = downloads[key] else { return false }
            if known.state == .failed {
                throw DeviceError(
                    .alreadyFailed, "The download \(key.pack) has failed. Schedule it again when its delegate was told."
                )
            }
            if known.state == .paused { await apply(.resumed, to: key) }
            await apply(.foreground(true), to: key)
            return true
        }
        if !isKnown {
            try await schedule(description, app: app, by: .app(isInFront: true), isForeground: true)
        }
    }

    /// Whether this very call was answered for already, by this service or one before it that could not say so.
    private func isTaken(_ description: DownloadDescription, _ app: String) -> Bool {
        guard let ticket = description.ticket else { return false }
        let known = downloads[TransferKey(app: app, download: description.identifier)]
        return known?.description.ticket == ticket || tickets.contains(ticket)
    }

    /// The same identifier again is refused, unless what bears it has failed: then it has been heard of.
    private func makeWay(for key: TransferKey) async throws {
        guard let known = downloads[key] else { return }
        guard known.state == .failed else {
            throw DeviceError(
                .alreadyScheduled, "A download with the identifier \(key.pack) is scheduled already.",
                details: ["download": key.pack])
        }
        await apply(.acknowledged, to: key)
    }

    /// Puts downloads down, all or none, and lets them take their turns unless they are held.
    func add(
        _ descriptions: [DownloadDescription], app: String, state: Download.State, isForeground: Bool = false,
        _ facts: DownloadRules.Facts
    ) async throws -> [Download] {
        let drafts = descriptions.map {
            Download(app: app, description: $0, state: state, isForeground: isForeground)
        }
        let use = facts.wasLaunched ? nil : facts.use
        let added = try await tools.database.write { connection in
            if let use { try connection.setDownloadUse(use, app: app) }
            return try drafts.map { draft in
                var download = draft
                download.number = try connection.add(draft)
                return download
            }
        }
        for download in added {
            let key = download.key
            downloads[key] = download
            if let number = download.number { keys[number] = key }
            if state == .waiting { await enqueue(download, key) }
        }
        return added
    }

    private func refuseWhenClosed() throws {
        guard isClosed else { return }
        throw DeviceError(.unavailable, "The device service is stopping. Ask again when it has started anew.")
    }

    /// What the rules rest on for an installed app.
    func facts(_ app: String, for description: DownloadDescription? = nil) async throws -> DownloadRules.Facts {
        var facts = DownloadRules.Facts(keys: BackgroundAssetsKeys(), wasLaunched: true, isGroup: isGroup)
        if let description, !DownloadURL.isEncrypted(description.url) {
            facts.allowsPlainLoopback = try await allowsPlainLoopback
        }
        guard !launched.contains(app) else { return facts }
        let record = try await tools.registry.existing(app)
        if record.wasLaunched {
            launched.insert(app)
            return facts
        }
        let bundles = tools.bundles
        facts.keys = try await offload { try bundles.bundle(record).backgroundAssets }
        facts.wasLaunched = false
        facts.allowsInAppContent = tools.personal.current.allowsInAppContent
        facts.use = try await tools.database.read { try $0.downloadUse(app: app) }
        return facts
    }

    /// What the rules rest on while an app is being asked, which may not be installed yet.
    func facts(_ app: String, installing keys: BackgroundAssetsKeys) async throws -> DownloadRules.Facts {
        var facts = DownloadRules.Facts(keys: keys, wasLaunched: false, isGroup: isGroup)
        facts.wasLaunched = try await tools.registry.app(app)?.wasLaunched ?? false
        facts.use = try await tools.database.read { try $0.downloadUse(app: app) }
        facts.allowsPlainLoopback = try await allowsPlainLoopback
        facts.allowsInAppContent = tools.personal.current.allowsInAppContent
        return facts
    }

    /// Why an app may not download behind the person's back, in words; nil when it may.
    private func prohibition(_ app: String) async throws -> String? {
        let settings = tools.personal.current
        guard settings.allowsBackgroundRefresh(app) else {
            return "background refresh is off in this device's settings"
        }
        let conditions = tools.conditions
        return try await offload { conditions.isLowPower(settings) } ? "the device spares its battery" : nil
    }

    private var isGroup: @Sendable (String) -> Bool {
        let paths = tools.paths
        return { paths.groupFolder($0) != nil }
    }

    private var allowsPlainLoopback: Bool {
        get async throws { try await tools.settings.urlOverride()?.hasPrefix("http:") ?? false }
    }

    /// What answers an app's extension while it runs.
    nonisolated func answers(to app: String) -> ExtensionAnswers {
        ExtensionAnswers(app: app, router: router.withLock { $0 }, log: tools.log)
    }

    // MARK: - Cancel, pause, list

    /// Takes a download out and deletes what there is of it; returns when it is gone.
    /// - Throws: `DeviceError` with code 113 when there is none, 101 when it has ended already.
    func cancel(_ identifier: String, app: String) async throws {
        let key = TransferKey(app: app, download: identifier)
        let number = try await inTurn { () -> Int64 in
            guard let download = downloads[key], let number = download.number else {
                throw DeviceError(
                    .doesNotExist, "There is no download with the identifier \(identifier).",
                    details: ["download": identifier])
            }
            guard !download.state.hasEnded else {
                throw DeviceError(
                    .notScheduled, "The download \(identifier) has ended already; its delegate is told.",
                    details: ["download": identifier])
            }
            await apply(.cancelled, to: key)
            return number
        }
        await settle(key, number)
    }

    /// Pauses the app's downloads, or one, until they are resumed; survives a restart.
    /// - Returns: how many are under way; so does `resume`.
    @discardableResult
    func pause(app: String, identifier: String?) async -> Int { await applyToAll(.paused, app, identifier) }

    @discardableResult
    func resume(app: String, identifier: String?) async -> Int { await applyToAll(.resumed, app, identifier) }

    private func applyToAll(_ fact: Download.Fact, _ app: String, _ identifier: String?) async -> Int {
        await inTurn {
            let keys = downloads.filter { $0.key.app == app && (identifier == nil || $0.key.pack == identifier) }
                .filter { !$0.value.state.hasEnded }.keys.sorted()
            for key in keys { await apply(fact, to: key) }
            return keys.count
        }
    }

    /// What is scheduled or under way, oldest first.
    func current(_ app: String) -> [DownloadDescription] {
        all(app).filter { !$0.state.hasEnded }.map(\.told)
    }

    /// All that is there, ended ones too, oldest first.
    func all(_ app: String?) -> [Download] {
        downloads.values.filter { app == nil || $0.app == app }.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
    }

    // MARK: - Start and end

    /// Takes up what the last process left.
    func recover() async throws {
        try await inTurn {
            let rows = try await tools.database.read { try $0.downloads() }
            tickets = DownloadTickets(try await tools.database.read { try $0.downloadTickets() })
            returning = ReturningApps(
                downloads: Set(rows.compactMap(\.number)), deadline: .now + tools.returnPatience)
            let paths = tools.paths
            try await offload { try DownloadPlaces.cleanFiles(paths, rows) }
            for app in try await apps(rows) {
                let places = places(app)
                let mine = rows.filter { $0.app == app }
                do {
                    try await offload { try places.clean(mine) }
                } catch {
                    tools.log.error("An app's downloads cannot be put in order.", ["app": app, "error": "\(error)"])
                }
            }
            for download in rows {
                let key = download.key
                downloads[key] = download
                if let number = download.number { keys[number] = key }
                let (places, number) = (places(download.app), download.number ?? 0)
                let size = try await offload { try places.size(number, group: download.description.appGroup) }
                switch (download.state, size) {
                case (.finished, _), (.failed, _): await settleHeard(number)
                case (.held, nil): break
                case (_, .some(let size)):
                    // It was in its place before the row could say so.
                    await apply(.arrived(size: size), to: key)
                case (_, nil):
                    if download.isForeground { await apply(.foreground(false), to: key) }
                    await enqueue(downloads[key] ?? download, key, paused: download.state == .paused)
                }
            }
        }
    }

    /// Takes up what waits for nobody any more, once the installs that go on are known.
    /// - Parameter apps: those being installed.
    func settleIn(installing apps: Set<String>) async {
        await releaseAll(except: apps)
        for app in Set(downloads.keys.map(\.app)) { deliver(app) }
    }

    private func apps(_ rows: [Download]) async throws -> [String] {
        let folder = tools.paths.apps
        let names = try await offload { () -> [String] in
            guard FileDescriptor.currentDirectory.exists(at: folder) else { return [] }
            return try FileDescriptor.currentDirectory.entries(at: folder).filter { $0.kind == .directory }.map(\.name)
        }
        return Set(names).union(rows.map(\.app)).sorted()
    }

    /// Forgets everything of an app that is going. Its folder may be deleted afterwards.
    func removeAll(app: String) async throws {
        let places = places(app)
        let removed = try await inTurn { () -> [(TransferKey, Int64, FilePath)] in
            let mine = downloads.filter { $0.key.app == app }
            for key in mine.keys { await transfer { $0.cancel(key, now: .now) } }
            try await tools.database.write { try $0.deleteDownloads(app: app) }
            for (key, download) in mine {
                downloads[key] = nil
                troubles[key] = nil
                endChallenges(key)
                if let number = download.number { keys[number] = nil }
            }
            installing.remove(app)
            launched.remove(app)
            credentials.forget(app: app)
            return mine.compactMap { key, download in download.number.map { (key, $0, places.file(download)) } }
        }
        for (key, number, file) in removed {
            await settle(key, number)
            _ = try? await offload { try FileDescriptor.currentDirectory.remove(at: file) }
        }
    }
}
