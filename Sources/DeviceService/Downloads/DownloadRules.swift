// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol

/// What may be scheduled, by whom and when (BA 1.3, 1.8, 2.1). Pure.
enum DownloadRules {
    /// Who asks.
    enum Asker: Hashable, Sendable {
        /// An app's process; whether a person has it before them.
        case app(isInFront: Bool)
        /// The extension, on its own account.
        case `extension`
        /// The extension's answer to a content request; only install and update may name essential downloads.
        case answer(mayBeEssential: Bool)
    }

    /// Bytes that downloads scheduled before the first launch have taken of the allowances.
    struct Use: Hashable, Sendable {
        var essential: Int64 = 0
        var other: Int64 = 0
    }

    /// What the restrictions rest on.
    struct Facts: Sendable {
        var keys: BackgroundAssetsKeys
        /// The restrictions end with the first launch.
        var wasLaunched: Bool
        var use = Use()
        /// A developer's plain http server on this machine is let through.
        var allowsPlainLoopback = false
        /// The person lets something come before the first launch (C11).
        var allowsInAppContent = true
        /// Why nothing may be downloaded that nobody waits for; nil when it may.
        var prohibition: String?
        /// Whether an app group's id is one that has a folder.
        var isGroup: @Sendable (String) -> Bool
    }

    /// Whether the description can be downloaded at all, by this asker.
    static func check(_ download: DownloadDescription, by asker: Asker, _ facts: Facts) throws(DeviceError) {
        let name = download.identifier
        guard !name.isEmpty, name.utf8.count <= 1024 else {
            throw DeviceError(.invalid, "A download has no identifier, or one of more than 1024 bytes. Give it one.")
        }
        guard let address = WebAddress(download.url),
            address.isSecure || (facts.allowsPlainLoopback && address.isLoopback)
        else {
            throw DeviceError(.invalid, "\(name): \"\(download.url)\" is no https URL. Downloads are https only.")
        }
        if let size = download.fileSize, size < 0 {
            throw DeviceError(.invalid, "\(name): a file of \(size) bytes cannot be.")
        }
        guard facts.isGroup(download.appGroup) else {
            throw DeviceError(
                .invalid, "\(name): \"\(download.appGroup)\" is no app group. Use the app's, as in group.com.example.")
        }
        guard download.isEssential else { return }
        switch asker {
        case .answer(mayBeEssential: true): break
        case .answer(mayBeEssential: false), .app, .extension:
            throw DeviceError(
                .essentialNotPermitted,
                "\(name) is essential. Essential downloads are part of an install or update, where the extension names "
                    + "them; schedule removingEssential() instead.")
        }
        if download.fileSize ?? 0 == 0 {
            throw DeviceError(.invalid, "\(name) is essential and must declare its fileSize.")
        }
    }

    /// Whether an extension may enqueue it. What an app schedules waits for better times instead.
    static func checkBackground(_ download: DownloadDescription, _ facts: Facts) throws(DeviceError) {
        guard let why = facts.prohibition else { return }
        throw DeviceError(
            .backgroundActivityProhibited,
            "\(download.identifier) cannot be scheduled now: \(why). Let the app schedule it, or try again later.")
    }

    /// Checks the restrictions that hold until the first launch, and takes the download into account.
    static func restrict(_ download: DownloadDescription, _ facts: inout Facts) throws(DeviceError) {
        guard !facts.wasLaunched else { return }
        let name = download.identifier
        guard facts.allowsInAppContent else {
            throw DeviceError(
                .notPermittedBeforeAppLaunch,
                "\(name) cannot come before the app's first launch: inAppContent is off in this device's settings. "
                    + "Schedule it when the app has been opened.")
        }
        let restrictions = facts.keys.restrictions
        if let restrictions, let host = WebAddress(download.url)?.host, !restrictions.allows(host: host) {
            throw DeviceError(
                .disallowedByDomain,
                "\(name) comes from \(host), which BADownloadDomainAllowList does not allow before the app's first launch.",
                details: ["host": host])
        }
        let essential = download.isEssential
        let (key, used) =
            essential
            ? ("BAEssentialDownloadAllowance", facts.use.essential) : ("BADownloadAllowance", facts.use.other)
        let allowance = essential ? restrictions?.essentialDownloadAllowance : restrictions?.downloadAllowance
        let (installKey, installSize) =
            essential
            ? ("BAEssentialMaxInstallSize", facts.keys.essentialMaxInstallSize)
            : ("BAMaxInstallSize", facts.keys.maxInstallSize)
        let size = download.fileSize ?? 0
        let after = used.addingClamped(size)
        for (key, limit) in [(key, allowance), (installKey, installSize)] {
            guard let limit, after > limit else { continue }
            let left = max(0, limit - used)
            throw DeviceError(
                limit < size ? .disallowedByAllowance : .wouldExceedAllowance,
                "\(name) has \(size) bytes, and \(key) leaves \(left) before the app's first launch.",
                details: ["size": "\(size)", "left": "\(left)", "key": key])
        }
        if essential { facts.use.essential = after } else { facts.use.other = after }
    }

    /// Bytes left of an allowance; nil when it does not restrict.
    static func remaining(essential: Bool, _ facts: Facts) -> Int64? {
        guard !facts.wasLaunched else { return nil }
        let restrictions = facts.keys.restrictions
        let allowance = essential ? restrictions?.essentialDownloadAllowance : restrictions?.downloadAllowance
        return allowance.map { max(0, $0 - (essential ? facts.use.essential : facts.use.other)) }
    }
}
