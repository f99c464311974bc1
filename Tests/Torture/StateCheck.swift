// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

/// Whether a state folder at rest holds what docs/on-disk-layout.md says and nothing else.
struct StateCheck {
    let state: FilePath
    /// Apps that are installed.
    let apps: Set<String>

    private static let here = FileDescriptor.currentDirectory

    /// Everything that is not accounted for, in words; empty when all is.
    func findings() -> [String] {
        let top: Set<String> = [
            "lock", "trust", "larder.sqlite", "larder.sqlite-wal", "larder.sqlite-shm", "incoming", "groups", "apps",
            "larderd.log", "ballast",
        ]
        var found = names(state).filter { !top.contains($0) }.map { "\($0) in the state folder" }
        found += names(state.appending("incoming")).map { "incoming/\($0)" }
        for group in names(state.appending("groups")) {
            found += names(state.appending("groups").appending(group).appending(".downloads")).map {
                "groups/\(group)/.downloads/\($0)"
            }
        }
        let folders = state.appending("apps")
        for app in names(folders) {
            guard apps.contains(app) else {
                found.append("apps/\(app) of no installed app: \(names(folders.appending(app)).sorted())")
                continue
            }
            found += check(AppRootLayout(root: folders.appending(app))).map { "apps/\(app)/\($0)" }
        }
        for app in apps where !names(folders).contains(app) { found.append("no folder of the app \(app)") }
        return found
    }

    private func check(_ layout: AppRootLayout) -> [String] {
        let known: Set<String> = [
            "bundle", "packs", "staging", "downloads", "generations", "current", "generation", "scratch",
            "language.chosen", "language.resolved",
        ]
        var found = names(layout.root).filter { !known.contains($0) }
        found += names(layout.staging).map { "staging/\($0)" }
        found += names(layout.root.appending("downloads")).filter { $0 != "partial" }.map { "downloads/\($0)" }
        found += names(layout.root.appending("downloads/partial")).map { "downloads/partial/\($0)" }
        found += names(layout.root.appending("scratch")).map { "scratch/\($0)" }
        let bundle = layout.root.appending("bundle")
        let number = try? Self.here.readLink(at: bundle.appending("current"))
        found += names(bundle).filter { $0 != "current" && $0 != number }.map { "bundle/\($0)" }
        if number == nil { found.append("no bundle/current") }
        guard let target = try? Self.here.readLink(at: layout.current),
            let name = FilePath(target).lastComponent?.string
        else { return found + ["no current"] }
        found += names(layout.generations).filter { $0 != name }.map { "generations/\($0)" }
        let generation = layout.generations.appending(name)
        found += names(generation).filter { $0 != "namespace" && $0 != "lease" }.map { "generations/\(name)/\($0)" }
        do {
            let handle = try NamespaceHandle.openCurrent(of: layout)
            if !handle.table.isIntact { found.append("generations/\(name)/namespace is damaged") }
            found += packs(layout, handle.table)
        } catch {
            found.append("current cannot be opened: \(error)")
        }
        return found
    }

    private func packs(_ layout: AppRootLayout, _ table: NamespaceTable) -> [String] {
        var found: [String] = []
        let listed = Set(table.allPacks.flatMap { [$0.directory, $0.directory + ".contents"] })
        for pack in names(layout.packs) {
            let versions = names(layout.pack(pack))
            if versions.isEmpty { found.append("packs/\(pack) is empty") }
            found += versions.map { "packs/\(pack)/\($0)" }.filter { !listed.contains($0) }
        }
        for (index, pack) in table.allPacks.enumerated() {
            var expected: Set<String> = []
            table.forEachFile(below: "", inPackAt: index) { expected.insert(String(decoding: $0.path, as: UTF8.self)) }
            let actual = files(layout.root.appending(pack.directory))
            found += actual.subtracting(expected).map { "\(pack.directory)/\($0)" }
            found += expected.subtracting(actual).map { "\(pack.directory)/\($0) is missing" }
        }
        return found
    }

    private func files(_ folder: FilePath, _ prefix: String = "") -> Set<String> {
        var found: Set<String> = []
        for entry in (try? Self.here.entries(at: folder)) ?? [] {
            if entry.kind == .directory {
                found.formUnion(files(folder.appending(entry.name), prefix + entry.name + "/"))
            } else {
                found.insert(prefix + entry.name)
            }
        }
        return found
    }

    private func names(_ folder: FilePath) -> [String] { ((try? Self.here.entries(at: folder)) ?? []).map(\.name) }
}
