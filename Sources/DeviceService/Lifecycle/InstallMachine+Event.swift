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
            bytesPerSecond: isPaused ? 0 : bytesPerSecond, packs: (plan.items ?? []).map(item), notes: plan.notes,
            warnings: plan.warnings, error: phase == .cancelled ? nil : error)
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
        case .downloadingApp, .downloading: return .downloading
        case .finishing: return .finishing
        case .rollingBack: return .undoing
        }
    }

    private func item(_ item: PlannedItem) -> PackProgressItem {
        let state: PackState
        switch item.state {
        case .finished: state = .local
        case .failed: state = .failed
        case .declined, .deferred: state = .declined
        case .held: state = .waiting
        case .pending: state = isPaused ? .paused : item.downloaded > 0 ? .downloading : .queued
        }
        return PackProgressItem(
            id: item.name, version: item.pack?.version ?? 0,
            policy: PackPolicy(rawValue: item.pack?.downloadPolicy.name ?? item.role.rawValue), state: state,
            completed: item.state == .finished ? item.bytes : item.downloaded, total: item.bytes, error: item.error,
            essentialError: item.essentialError)
    }
}
