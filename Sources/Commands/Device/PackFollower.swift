// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// Follows packs of an app that are being updated without an install, and says what came of it.
struct PackFollower {
    let app: String
    private let context: CommandContext
    private let bar: ProgressBar
    private let started = ContinuousClock.now
    /// Packs that are not waited for, and why.
    private var waiting: [String: String] = [:]

    init(_ app: String, _ context: CommandContext) {
        self.app = app
        self.context = context
        bar = ProgressBar(context)
    }

    /// The versions of the app's local packs; none of an app that is not installed.
    static func versions(of app: String, _ context: CommandContext) async throws -> [String: Int] {
        do {
            return versions(try await Device.send(PacksRequest(app: app), context).packs)
        } catch let error as DeviceError where error.code == .appNotFound {
            return [:]
        }
    }

    private static func versions(_ packs: [PackListing]) -> [String: Int] {
        Dictionary(packs.compactMap { pack in pack.localVersion.map { (pack.id, $0) } }) { $1 }
    }

    /// - Parameters:
    ///   - before: the local versions before it was asked for updates.
    ///   - goal: with `accepted`, nothing is waited for.
    /// - Throws: `CommandError` when an update fails.
    mutating func follow(from before: [String: Int], until goal: InstallGoal) async throws {
        defer { bar.clear() }
        if goal == .accepted {
            let names = underWay(try await packs()).map(\.id)
            if !context.json, !names.isEmpty {
                context.print("Packs of \(app) are being updated behind: \(names.joined(separator: ", ")).")
            }
            if !names.isEmpty { return }
        }
        try await followAll { _ in true }
        bar.clear()
        let packs = try await packs()
        // One that failed for good before it was looked at.
        for pack in packs where pack.localVersion != nil && pack.availableVersion != pack.localVersion {
            if let error = pack.error, waiting[pack.id] == nil {
                throw DeviceError(.failed, "\(pack.id) of \(app) could not be updated. \(error)")
            }
        }
        tell(from: before, packs)
    }

    /// Follows packs that are fetched once more.
    /// - Throws: `CommandError` when one cannot be had.
    mutating func mend(_ names: Set<String>) async throws {
        defer { bar.clear() }
        do {
            try await followAll { names.contains($0.id) }
            for pack in try await packs() where names.contains(pack.id) {
                if let error = pack.error { throw DeviceError(.failed, error) }
            }
        } catch let error as DeviceError where error.code != .disconnected {
            throw DeviceError(
                error.code,
                "\(error.message) If the server has another version by now, 'larder check \(app)' brings that, and mends so too.",
                details: error.details)
        }
        bar.clear()
        for (pack, reason) in waiting where names.contains(pack) { context.note("\(pack) waits for \(reason).") }
        let mended = names.subtracting(waiting.keys).sorted()
        if !context.json, !mended.isEmpty { context.print("Mended in \(app): \(mended.joined(separator: ", ")).") }
    }

    private mutating func followAll(_ isWanted: (PackListing) -> Bool) async throws {
        var deaths = 0
        while let pack = underWay(try await packs()).first(where: isWanted) {
            do {
                try await follow(pack)
            } catch let error as DeviceError where error.code == .disconnected && deaths < InstallFollower.restarts {
                deaths += 1
            }
        }
    }

    private func packs() async throws -> [PackListing] {
        try await Device.send(PacksRequest(app: app), context).packs
    }

    /// What is being updated and can be waited for.
    private mutating func underWay(_ packs: [PackListing]) -> [PackListing] {
        packs.filter { pack in
            guard pack.localVersion != nil, pack.availableVersion != nil else { return false }
            if let reason = pack.waitsFor ?? (pack.state == .paused ? "'larder resume'" : nil) {
                waiting[pack.id] = reason
            }
            return [.queued, .downloading, .waiting].contains(pack.state) && waiting[pack.id] == nil
        }
    }

    /// Shows a pack's update to its end, or until something holds it back.
    private mutating func follow(_ pack: PackListing) async throws {
        var trouble: String?
        let connection = try await Device.connect(context)
        for try await event in connection.stream(StatusUpdatesRequest(app: app, pack: pack.id)) {
            if context.json { try context.print(encoding: event) }
            if let message = event.error?.message, message != trouble, event.change != .failed {
                trouble = message
                if !context.json { bar.note("note: \(message)") }
            }
            switch event.change {
            case .failed:
                throw event.error ?? DeviceError(.failed, "\(pack.id) of \(app) could not be updated.")
            case .paused:
                // It is looked at again, and said what holds it.
                waiting[pack.id] = "'larder resume'"
                return
            case .finished:
                // It names the archive's size, and less may have come.
                continue
            default:
                bar.update(
                    phase: "Updating \(pack.id) of \(app)", completed: event.completed,
                    total: event.total > 0 ? event.total : nil)
            }
        }
        if Task.isCancelled {
            context.note("\(pack.id) goes on in the background. 'larder packs \(app)' shows it.")
            throw CancellationError()
        }
    }

    private func tell(from before: [String: Int], _ packs: [PackListing]) {
        guard !context.json else { return }
        let after = Self.versions(packs)
        var news: [String] = []
        for pack in packs {
            guard let version = pack.localVersion, let old = before[pack.id], old != version else { continue }
            let moved = pack.arrival.map { " (\(ByteCount.formatted($0.moved)))" }
            news.append("\(pack.id) \(old) -> \(version)\(moved ?? "")")
        }
        news += before.keys.filter { after[$0] == nil }.sorted().map { "\($0) removed" }
        for pack in packs {
            guard let reason = waiting[pack.id], pack.localVersion != pack.availableVersion else { continue }
            context.note("\(pack.id) waits for \(pack.waitsFor ?? reason).")
        }
        if !news.isEmpty {
            context.print(
                "Updated packs of \(app) in \(started.duration(to: .now).formatted): \(news.joined(separator: ", ")).")
        } else if waiting.isEmpty {
            context.print("\(app) is up to date.")
        } else {
            context.print("\(app) itself is up to date; not all of its packs are.")
        }
    }
}
