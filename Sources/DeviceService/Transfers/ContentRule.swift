// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Whether anything may come by itself before an app's first launch (C11). Settings and launches are known at any time, so that
/// this holds whether or not the machine was looked at.
package struct ContentRule: Hashable, Sendable {
    var allowsInAppContent = true
    /// Apps that were launched.
    var launched: Set<String> = []

    /// Why a transfer has to wait; nil when it may go on. What an app or a developer waits for is not automatic.
    func reason(app: String, rankClass: TransferRank.Class) -> HoldReason? {
        guard !allowsInAppContent, ![.foreground, .urgent].contains(rankClass), !launched.contains(app) else {
            return nil
        }
        return .inAppContent
    }
}
