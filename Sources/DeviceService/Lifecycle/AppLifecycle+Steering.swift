// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

extension AppLifecycle {
    /// A person closed the app for good: nothing is done on its behalf until it is launched again (C5).
    func close(_ app: String) async throws {
        _ = try await tools.registry.existing(app)
        try await tools.usage.change(app) { $0.isClosed = true }
    }

    /// A developer simulates an event: the extension has its run time of the day again.
    func giveBackRunTime(_ app: String) async throws {
        _ = try await tools.registry.existing(app)
        try await tools.usage.change(app) { $0.budget.reset() }
    }

    /// Does what an install or update does beside its base app, which stays as it is: manifest, extension, essential
    /// packs or downloads, then the others. A simulated install is one on a device that knows nothing of the app yet: the
    /// restrictions hold, launched or not, with whole allowances; what they hold back comes with the next launch.
    /// - Throws: `DeviceError`, also when the app has nothing that an event could bring.
    func simulate(_ app: String, _ event: InstallPlan.Kind) async throws -> InstallRun {
        let record = try await tools.registry.existing(app)
        try reserve(app)
        defer { unreserve(app) }
        let bundles = tools.bundles
        let bundle = try await offload { try bundles.bundle(record) }
        let keys = bundle.backgroundAssets
        guard keys.isManaged || keys.mode == .unmanaged else {
            throw DeviceError(
                .badBundle,
                "\(app) has neither managed asset packs nor an extension that chooses downloads, so no event brings anything. "
                    + "`larder doctor \(app)` says what its Info.plist lacks.")
        }
        var plan = InstallPlan(
            kind: .update, event: event, app: app, displayName: record.displayName, version: record.version,
            source: bundle.path.string, bundle: record.bundle, baseSize: 0, isManaged: keys.isManaged,
            isUnmanaged: keys.mode == .unmanaged, essentialAllowance: keys.restrictions?.essentialDownloadAllowance)
        plan.isSimulated = true
        return begin(plan)
    }

    /// Pauses the app's install, or its downloads when none is under way; with `pack`, that download only.
    /// - Returns: what this applied to, as `SteeringReply` counts it; so do `resume` and `cancel`.
    func pause(_ app: String, pack: String?) async throws -> Int {
        if pack == nil, let run = run(of: app) {
            run.post(.pause)
            return 1
        }
        try await check(app, pack: pack)
        return try await tools.store.pause(app: app, pack: pack)
            + tools.downloads.pause(app: app, identifier: pack)
    }

    func resume(_ app: String, pack: String?) async throws -> Int {
        if pack == nil, let run = run(of: app) {
            run.post(.resume)
            return 1
        }
        try await check(app, pack: pack)
        return try await tools.store.resume(app: app, pack: pack)
            + tools.downloads.resume(app: app, identifier: pack)
    }

    /// Cancels the install or update under way and waits until it is undone; without one, the app's downloads.
    func cancel(_ app: String, pack: String?) async throws -> Int {
        if pack == nil, let run = run(of: app) {
            run.post(.cancel)
            for await _ in await run.watch() {}
            return 1
        }
        try await check(app, pack: pack)
        var count = try await tools.store.cancel(app: app, pack: pack)
        for download in await tools.downloads.current(app) where pack == nil || download.identifier == pack {
            do {
                try await tools.downloads.cancel(download.identifier, app: app)
                count += 1
            } catch let error as DeviceError
                where error.downloadProblem == .doesNotExist || error.downloadProblem == .notScheduled
            {
                continue  // It ended between the two looks.
            }
        }
        return count
    }

    /// A pack is named only to steer its download: a name that fits none is told, not nodded through.
    private func check(_ app: String, pack: String?) async throws {
        if run(of: app) == nil { _ = try await tools.registry.existing(app) }
        guard let pack else { return }
        if await tools.downloads.current(app).contains(where: { $0.identifier == pack }) { return }
        guard try await tools.store.transfers(app: app).contains(where: { $0.pack == pack }) else {
            throw DeviceError(
                .packNotFound,
                "No asset pack \"\(pack)\" of \(app) is being downloaded. `larder packs \(app)` lists its packs.",
                details: ["pack": pack])
        }
    }
}
