// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// Who shares an app group's folder, and when it goes.
///
/// A group is claimed for as long as an install or update that names it is under way, and afterwards the app's row stands for
/// the claim: of two installs at once that must not share a group, one is refused. Downloads that lie in a group, or will, are
/// a claim of their app, too.
actor AppGroups {
    private let registry: AppRegistry
    private let bundles: BundleStore
    /// The groups of installs and updates under way, by app.
    private var claims: [String: String] = [:]
    /// Groups whose folder is just being deleted.
    private var leaving: Set<String> = []
    /// By group, the apps that were let download into it since it was claimed last.
    private var permitted: [String: Set<String>] = [:]
    /// How often groups were claimed.
    private var claimCount = 0

    init(registry: AppRegistry, bundles: BundleStore) {
        self.registry = registry
        self.bundles = bundles
    }

    /// Whether two apps are one developer's: their bundle ids begin with the same domain, the first two parts. Without
    /// signatures that is the developer's word; it keeps apps from each other's files by accident.
    static func isShareable(_ app: String, _ other: String) -> Bool {
        func domain(_ id: String) -> [Substring] { Array(id.split(separator: ".").prefix(2)) }
        return domain(app).count == 2 && domain(app) == domain(other)
    }

    /// Claims the group that the app names, until `release`.
    /// - Parameter downloads: those that may lie in the group.
    /// - Throws: `DeviceError` with code `badBundle` when the group belongs to another developer's app, installed or being
    ///   installed; `appBusy` while the folder that its last app left is being deleted.
    func claim(_ app: String, _ group: String?, downloads: DownloadStore) async throws {
        guard let group else { return }
        guard !leaving.contains(group) else {
            throw DeviceError(
                .appBusy, "What the last app of the group \(group) left is being deleted. Try again in a moment.",
                details: ["group": group])
        }
        for other in claims.filter({ $0.value == group }).keys.sorted() { try Self.check(app, other, group) }
        // First the claim, then the rows: whoever ends meanwhile is in one of the two.
        claims[app] = group
        permitted[group] = nil
        claimCount += 1
        do {
            for other in try await members(of: group) { try Self.check(app, other, group) }
            for other in await downloads.apps(downloadingInto: group).sorted() { try Self.check(app, other, group) }
        } catch {
            claims[app] = nil
            throw error
        }
    }

    private static func check(_ app: String, _ other: String, _ group: String) throws {
        guard app != other, !isShareable(app, other) else { return }
        throw DeviceError(
            .badBundle,
            "\(app) names the app group \(group), which belongs to \(other). Only apps whose bundle ids begin "
                + "alike (com.example.) share a group. Give it a group of its own in BAAppGroupID, or uninstall \(other).",
            details: ["group": group, "app": other])
    }

    /// Sees whether an app may have downloads put into a group: its own, that of other apps of its developer, or one that nobody
    /// has.
    /// - Parameter downloads: those that may lie in the group.
    /// - Throws: `DeviceError` with code `invalid` when it belongs to another developer's app.
    func permit(_ app: String, downloadsInto group: String, beside downloads: DownloadStore) async throws {
        if permitted[group]?.contains(app) == true { return }
        let count = claimCount
        var owners = Set(claims.filter { $0.value == group }.keys)
        owners.formUnion(try await members(of: group))
        owners.formUnion(await downloads.apps(downloadingInto: group))
        if let owner = owners.filter({ $0 != app && !Self.isShareable(app, $0) }).min() {
            throw DeviceError(
                .invalid,
                "\(app) cannot download into the app group \(group), which belongs to \(owner). Only apps whose bundle ids "
                    + "begin alike (com.example.) share a group. Use a group of its own.",
                details: ["group": group, "app": owner])
        }
        if count == claimCount { permitted[group, default: []].insert(app) }
    }

    /// Takes the claim of an install up again that an earlier service had let begin.
    func reclaim(_ app: String, _ group: String?) { claims[app] = group }

    /// The install or update is over; the app's row, if any, stands for the claim now.
    func release(_ app: String) { claims[app] = nil }

    /// Deletes a group's folder, unless another app names it, or downloads are in it.
    /// - Parameters:
    ///   - app: the one that goes, or that names another group now.
    ///   - downloads: those that may lie in the group.
    func leave(_ app: String, _ group: String?, downloads: DownloadStore) async throws {
        guard let group, let folder = bundles.paths.groupFolder(group), !leaving.contains(group),
            !claims.contains(where: { $0.key != app && $0.value == group })
        else { return }
        leaving.insert(group)
        defer { leaving.remove(group) }
        guard try await members(of: group).allSatisfy({ $0 == app }),
            await downloads.apps(downloadingInto: group).isEmpty
        else { return }
        try await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) }
    }

    /// The apps that name each group, installed or being installed.
    func members() async throws -> [String: Set<String>] {
        var members: [String: Set<String>] = [:]
        for (app, group) in claims { members[group, default: []].insert(app) }
        for record in try await registry.apps() {
            if let group = try await bundle(record)?.backgroundAssets.appGroupID {
                members[group, default: []].insert(record.id)
            }
        }
        return members
    }

    private func members(of group: String) async throws -> [String] {
        var members: [String] = []
        for record in try await registry.apps()
        where try await bundle(record)?.backgroundAssets.appGroupID == group {
            members.append(record.id)
        }
        return members
    }

    private func bundle(_ record: AppRecord) async throws -> AppBundle? {
        let bundles = bundles
        return try await offload { try? bundles.bundle(record) }
    }
}
