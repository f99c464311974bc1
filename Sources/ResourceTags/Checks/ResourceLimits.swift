// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How much may be tagged: Apple's figures, by the oldest system that an app is for (BA 5). Sizes are in bytes, decimal as
/// Apple counts; nil means no limit.
package struct ResourceLimits: Hashable, Sendable {
    /// How the command line names it.
    package let name: String
    /// How messages name it.
    package let title: String
    /// All packs of one tag.
    package let tag: Int64?
    package let pack: Int64?
    package let packCount: Int?
    package let initialInstall: Int64?
    package let initialInstallAndPrefetch: Int64?
    /// What requests hold at one time.
    package let inUse: Int64?
    /// All packs.
    package let hosted: Int64?

    private static let megabyte: Int64 = 1_000_000
    private static let gigabyte: Int64 = 1_000_000_000

    package static let iOS17 = ResourceLimits(
        name: "ios17", title: "iOS and iPadOS before 18", tag: 512 * megabyte, pack: 512 * megabyte, packCount: 1000,
        initialInstall: 2 * gigabyte, initialInstallAndPrefetch: 4 * gigabyte, inUse: 2 * gigabyte,
        hosted: 20 * gigabyte)
    package static let iOS18 = ResourceLimits(
        name: "ios18", title: "iOS and iPadOS from 18 on", tag: nil, pack: 8 * gigabyte, packCount: 1000,
        initialInstall: nil, initialInstallAndPrefetch: nil, inUse: nil, hosted: 70 * gigabyte)
    package static let tvOS17 = ResourceLimits(
        name: "tvos17", title: "tvOS before 18", tag: 512 * megabyte, pack: 512 * megabyte, packCount: 1000,
        initialInstall: 2 * gigabyte, initialInstallAndPrefetch: 4 * gigabyte, inUse: 2 * gigabyte,
        hosted: 20 * gigabyte)
    package static let tvOS18 = ResourceLimits(
        name: "tvos18", title: "tvOS from 18 on", tag: nil, pack: 512 * megabyte, packCount: 1000,
        initialInstall: nil, initialInstallAndPrefetch: 4 * gigabyte, inUse: nil, hosted: 20 * gigabyte)
    /// For hosts of one's own.
    package static let none = ResourceLimits(
        name: "none", title: "no limits", tag: nil, pack: nil, packCount: nil, initialInstall: nil,
        initialInstallAndPrefetch: nil, inUse: nil, hosted: nil)

    package static let all = [iOS18, iOS17, tvOS18, tvOS17, none]
}
