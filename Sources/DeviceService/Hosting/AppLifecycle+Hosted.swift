// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import System

extension AppLifecycle {
    /// Starts the install of what a hosting service's channel has, or the update of an app that came from there.
    /// - Parameter given: where it is to come from; nil for where it came from.
    /// - Returns: nil when the device has that build; its origin is then the given one.
    func begin(hosted app: String, from given: AppOrigin?) async throws -> InstallRun? {
        if given == nil { _ = try await tools.registry.existing(app) }
        let known = try await tools.registry.installedOrigin(app)
        guard let origin = try given?.checked() ?? known?.origin else {
            throw DeviceError(
                .appNotFound,
                "\(app) was not installed from a hosting service. Install it with --from, or update it with a newer bundle."
            )
        }
        let build = try await tools.catalogue.offer(app, origin, policy: tools.manifestRetries)
        if let known, known.build == build.id, run(of: app) == nil, try await tools.registry.app(app) != nil {
            try await tools.registry.save(origin: origin, build: build.id, app: app)
            return nil
        }
        return try await begin(app, group: build.appGroupID, mustExist: given == nil) {
            self.plan(build, origin, replacing: $0)
        }
    }

    private func plan(_ build: HostedBuild, _ origin: AppOrigin, replacing record: AppRecord?) -> InstallPlan {
        let app = build.bundleID
        let number = (record?.bundle ?? 0) + 1
        var plan = InstallPlan(
            kind: record == nil ? .install : .update, app: app, displayName: build.displayName, version: build.version,
            source: tools.bundles.unpacked(app, number: number).appending(build.folder).string,
            archive: tools.bundles.archive(app, number: number).string, bundle: number, baseSize: build.installedSize,
            isManaged: [.managed, .managedHosted].contains(build.mode), isUnmanaged: build.mode == .unmanaged,
            essentialAllowance: build.essentialDownloadAllowance, group: build.appGroupID)
        plan.hosted = HostedInstall(origin: origin, build: build)
        return plan
    }
}
