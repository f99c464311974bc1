// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// Who shares an app group's folder, and when it goes.
struct AppGroups: Sendable {
    let registry: AppRegistry
    let bundles: BundleStore

    /// Whether two apps are one developer's: their bundle ids begin with the same domain, the first two parts. Without
    /// signatures that is the developer's word; it keeps apps from each other's files by accident.
    static func isShareable(_ app: String, _ other: String) -> Bool {
        func domain(_ id: String) -> [Substring] { Array(id.split(separator: ".").prefix(2)) }
        return domain(app).count == 2 && domain(app) == domain(other)
    }

    /// Refuses an app that names the group of an installed app of another developer.
    /// - Throws: `DeviceError` with code `badBundle`
    func check(_ bundle: AppBundle) async throws {
        guard let group = bundle.backgroundAssets.appGroupID else { return }
        for other in try await members(of: group) where !Self.isShareable(bundle.identifier, other) {
            throw DeviceError(
                .badBundle,
                "\(bundle.identifier) names the app group \(group), which belongs to \(other). Only apps whose bundle ids begin "
                    + "alike (com.example.) share a group. Give it a group of its own in BAAppGroupID, or uninstall \(other).",
                details: ["group": group, "app": other])
        }
    }

    /// Deletes the folder of the group that the app names, unless another installed app names it, too.
    /// - Parameter bundle: the app that goes; nil when it cannot be read any more, and then nothing is deleted.
    func leave(_ bundle: AppBundle?) async throws {
        guard let bundle, let group = bundle.backgroundAssets.appGroupID, let folder = bundles.paths.groupFolder(group)
        else { return }
        let others = try await members(of: group).filter { $0 != bundle.identifier }
        if others.isEmpty { try await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) } }
    }

    private func bundle(_ app: String) async throws -> AppBundle? {
        guard let record = try await registry.app(app) else { return nil }
        let bundles = bundles
        return try await offload { try? bundles.bundle(record) }
    }

    private func members(of group: String) async throws -> [String] {
        var members: [String] = []
        for record in try await registry.apps() where try await bundle(record.id)?.backgroundAssets.appGroupID == group
        {
            members.append(record.id)
        }
        return members
    }
}
