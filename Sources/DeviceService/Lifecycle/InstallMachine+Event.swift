// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
package import DeviceProtocol

extension InstallMachine {
    /// The state as a client sees it.
    /// - Parameter bytesPerSecond: of the downloads under way.
    package func event(bytesPerSecond: Double = 0) -> InstallEvent {
        let (completed, total) = plan.progress
        return InstallEvent(
            app: plan.app, displayName: plan.displayName, phase: phase, completed: completed, total: total,
            bytesPerSecond: isPaused ? 0 : bytesPerSecond, packs: (plan.packs ?? []).map(item), notes: plan.notes,
            error: phase == .cancelled ? nil : error)
    }

    private var phase: InstallEvent.Phase {
        switch state {
        case .complete: return .complete
        case .failed: return .failed
        case .cancelled: return .cancelled
        case .prefetching: return .launchable
        case _ where isPaused: return .paused
        case .fetchingManifest: return .fetchingManifest
        case .askingExtension: return .askingExtension
        case .planning: return .planning
        case .unpackingApp, .copyingApp: return .copyingApp
        case .downloading: return .downloading
        case .finishing: return .finishing
        case .rollingBack: return .undoing
        }
    }

    private func item(_ planned: PlannedPack) -> PackProgressItem {
        let state: PackState
        switch planned.state {
        case .finished: state = .local
        case .failed: state = .failed
        case .declined, .deferred: state = .declined
        case .held: state = .waiting
        case .pending: state = isPaused ? .paused : planned.downloaded > 0 ? .downloading : .queued
        }
        return PackProgressItem(
            id: planned.name, version: planned.pack.version,
            policy: planned.download == nil
                ? PackPolicy(rawValue: planned.pack.downloadPolicy.name) : PackPolicy(rawValue: planned.role.rawValue),
            state: state, completed: planned.state == .finished ? planned.pack.downloadSize : planned.downloaded,
            total: planned.pack.downloadSize, error: planned.error, essentialError: planned.essentialError)
    }
}
