// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles

extension InstallMachine {
    /// What an install or update is to this one of the same app, which is there already.
    enum Repetition: Hashable, Sendable {
        /// It wants what is being done.
        case follow
        /// It wants another bundle, and the app of this one is in place: only packs still come.
        case supersede
        /// This one is over and about to leave.
        case wait
        /// It wants another bundle while this one's is not in place.
        case refuse
    }

    /// Decides by version, size and last change: a bundle that was built anew is another one, whatever its version.
    func repetition(by other: InstallPlan) -> Repetition {
        if state.isFinal { return .wait }
        if plan.isSimulated { return state == .prefetching ? .supersede : .refuse }
        let isSame =
            plan.version == other.version && plan.baseSize == other.baseSize && plan.sourceChange != nil
            && plan.sourceChange == other.sourceChange
        let isSameBuild =
            plan.hosted.flatMap { hosted in other.hosted.map { hosted.build.isSame(as: $0.build) } } ?? false
        if isSame || isSameBuild, state != .rollingBack { return .follow }
        return state.isLaunchable ? .supersede : .refuse
    }
}
