// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// One app's periodic request: its packs are checked for updates, and an extension that decides itself is woken.
struct PeriodicRequest: Sendable {
    let assets: AppAssets
    let lifecycle: AppLifecycle
    let content: ContentAsker
    let settings: SettingsFile
    let log: Logger

    /// Whether a newer build of an app that follows a hosting service's channel is on its way, with its packs.
    private func updateBegan(_ app: String) async -> Bool {
        do {
            guard try await assets.registry.installedOrigin(app) != nil,
                try await lifecycle.begin(hosted: app, from: nil) != nil
            else { return false }
            log.notice("A newer build is on its way.", ["app": app])
            return true
        } catch {
            log.info("No newer build could be asked for.", ["app": app, "error": "\(error)"])
            return false
        }
    }

    func make(_ app: String) async {
        // An install or update brings what is new by itself.
        guard await lifecycle.run(of: app) == nil else { return }
        do {
            let record = try await assets.registry.existing(app)
            // Without in-app content nothing comes by itself before the first launch (C11).
            guard record.wasLaunched || settings.current.allowsInAppContent else { return }
            if await updateBegan(app) { return }
            if let answer = try await content.refresh(app, event: "periodic") {
                log.info("Asked the extension.", ["app": app, "scheduled": "\(answer.scheduled.count)"])
            } else {
                let result = try await assets.checkForUpdates(app)
                log.info(
                    "Checked.",
                    ["app": app, "updating": "\(result.updating.count)", "removed": "\(result.removed.count)"])
            }
        } catch let error as DeviceError where error.code == .badBundle {
            // An app without packs has nothing to check.
        } catch {
            log.notice(
                "A periodic request failed; the next one follows in its time.", ["app": app, "error": "\(error)"])
        }
    }
}
