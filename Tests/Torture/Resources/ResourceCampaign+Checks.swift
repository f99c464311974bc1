// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import PackNamespace
import System
import TestSupport

/// What must hold all the time, and at the end.
extension ResourceCampaign {
    /// Every file of every tag that a process was told it can use is there, whole, where the app looks it up.
    func checkHeld() async throws {
        for holder in holders.compactMap({ $0 }) {
            holder.look()
            let held = holder.held
            for part in app.parts where !part.tags.isDisjoint(with: held) {
                for (path, bytes) in part.files {
                    let answer = try await holder.ask("lookup \(path)")
                    tally.count("files looked up")
                    if answer != "ok " + summary(bytes) {
                        tally.violation("\(path) of \(part.tags.sorted()) is in use, and looked up as: \(answer)")
                    }
                }
            }
        }
    }

    /// Nothing that may go is left when all of it is wanted.
    func checkNothingIsKept() async throws {
        disk?.relieve()
        let connection = try await device.connect()
        for holder in holders.compactMap({ $0 }) { holder.look() }
        let before = holders.compactMap { $0?.wanted }.reduce(into: Set()) { $0.formUnion($1) }
        // A request that is given up while its download goes on lets go a moment later, and what a dead process asked for may
        // come in the meantime. What is held for good never goes.
        let end = ContinuousClock.now + .seconds(30)
        while true {
            _ = try await connection.send(StoragePurgeRequest(bytes: 1 << 40))
            let packs = try await connection.send(PacksRequest(app: SampleApp.bundleID)).packs
            let local = Set(packs.filter { $0.state == .local }.map(\.id))
            let kept = app.parts.filter { $0.tags.isDisjoint(with: before) && local.contains($0.packID) }
            if kept.isEmpty { break }
            guard ContinuousClock.now < end else {
                for part in kept {
                    tally.violation("\(part.packID) is used by nobody and was kept\n\(try await explanation(part))")
                }
                break
            }
            Processes.sleep(milliseconds: 20)
        }
        tally.count("looks at what is kept")
    }

    /// Who uses a pack, what the service does with it, and how it came to that.
    private func explanation(_ part: TaggedApp.Part) async throws -> String {
        let layout = AppRootLayout(root: device.paths.appRoot(SampleApp.bundleID))
        let isUsed = try PackUses(of: layout).isUsed(part.packID)
        var lines = [isUsed ? "somebody has it in use" : "nobody has it in use"]
        let status = try await device.connect().send(StatusRequest())
        lines += status.transfers.map { "transfer of \($0.pack): \($0.state.rawValue) \($0.waitsFor ?? "")" }
        for (place, holder) in holders.enumerated() {
            for line in holder?.history(of: part.tags) ?? [] { lines.append("process \(place): \(line)") }
        }
        return lines.map { "  \($0)" }.joined(separator: "\n")
    }

    /// When nobody is there any more, nothing is in use, and all of it may go without a trace.
    func finish() async throws {
        disk?.relieve()
        try await checkHeld()
        for holder in holders.compactMap({ $0 }) { try await holder.program.kill() }
        holders = holders.map { _ in nil }
        let connection = try await device.connect()
        let tags = try await connection.send(ResourceTagsRequest(app: SampleApp.bundleID)).tags
        for tag in tags where tag.state == .inUse { tally.violation("\(tag.tag) is in use by nobody") }
        // What was on its way for dead processes comes behind.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let packs = try await connection.send(PacksRequest(app: SampleApp.bundleID)).packs
            if packs.allSatisfy({ [.available, .local, .failed, .paused].contains($0.state) }) { break }
            Processes.sleep(milliseconds: 20)
        }
        _ = try await connection.send(StoragePurgeRequest(bytes: 1 << 40))
        for pack in try await connection.send(PacksRequest(app: SampleApp.bundleID)).packs where pack.state == .local {
            tally.violation("\(pack.id) is kept though everything was to go")
        }
        let links = try links(in: device.paths.appRoot(SampleApp.bundleID).appending("bundle/current/"))
        if !links.isEmpty { tally.violation("links are left in the bundle: \(links.prefix(5))") }
        try await device.kill()
    }

    /// Links below a folder, but for the folder itself.
    private func links(in folder: FilePath) throws -> [String] {
        var found: [String] = []
        for entry in try FileDescriptor.currentDirectory.entries(at: folder) {
            if entry.kind == .symbolicLink { found.append(entry.name) }
            if entry.kind == .directory { found += try links(in: folder.appending(entry.name)) }
        }
        return found
    }
}
