// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import OnDemandResources

/// Holds the level that is played and fetches the one after it. A tag is a level; places that several levels share have all of
/// their tags, and are kept while any of them is.
@MainActor
final class Game {
    /// In the order in which they are played.
    static let levels = ["easy", "medium", "hard", "mym", "mym2", "tones", "fwp"]

    private enum Eagerness {
        /// The player stands before it.
        static let waits = NSBundleResourceRequestLoadingPriorityUrgent
        /// It will be wanted some time.
        static let soon = 0.3
    }

    /// How long what was played is kept, against what was not yet.
    private enum Keeping {
        static let played = 0.2
        static let current = 1.0
    }

    private struct Held {
        var level: String
        var request: NSBundleResourceRequest
        /// Ends when the level can be played.
        var coming: Task<Void, any Error>
    }

    private var playing: Held?
    private var next: Held?
    private var observer: (any NSObjectProtocol)?

    init() {
        observer = NotificationCenter.default.addObserver(
            forName: .NSBundleResourceRequestLowDiskSpace, object: nil, queue: nil
        ) { [weak self] _ in
            Task { await self?.makeRoom() }
        }
    }

    /// Plays a level, and has the one after it come.
    /// - Returns: what the level is made of.
    func enter(_ level: String) async throws -> String {
        guard let number = Self.levels.firstIndex(of: level) else { throw CocoaError(.fileNoSuchFile) }
        if playing?.level == level { return "\(level): \(try contents(of: level))" }
        let held = next?.level == level ? next : nil
        // What comes for another level is not worth waiting behind.
        if held == nil { next?.request.endAccessingResources() }
        next = nil
        // The level that is left may go before the new one has come: its room may be needed.
        if let playing {
            Bundle.main.setPreservationPriority(Keeping.played, forTags: [playing.level])
            playing.request.endAccessingResources()
        }
        let entered = held ?? begin(level, Eagerness.waits)
        playing = entered
        // It was fetched at leisure until now.
        entered.request.loadingPriority = Eagerness.waits
        do {
            try await entered.coming.value
        } catch {
            playing = nil
            throw error
        }
        entered.request.loadingPriority = Eagerness.soon
        Bundle.main.setPreservationPriority(Keeping.current, forTags: [level])
        if number + 1 < Self.levels.count { next = begin(Self.levels[number + 1], Eagerness.soon) }
        return "\(level): \(try contents(of: level))"
    }

    private func begin(_ level: String, _ priority: Double) -> Held {
        let request = NSBundleResourceRequest(tags: [level])
        request.loadingPriority = priority
        let coming = Task {
            if await request.conditionallyBeginAccessingResources() { return }
            try await request.beginAccessingResources()
        }
        return Held(level: level, request: request, coming: coming)
    }

    /// The system has no room: what is not played yet can come later.
    private func makeRoom() {
        guard let given = next else { return }
        next = nil
        given.request.endAccessingResources()
        say("released \(given.level)")
    }

    /// Reads the whole level, as resources of the app's bundle.
    private func contents(of level: String) throws -> String {
        let maps = Bundle.main.urls(forResourcesWithExtension: "sol", subdirectory: "map-\(level)") ?? []
        var bytes = 0
        for map in maps { bytes += try Data(contentsOf: map as URL).count }
        guard let list = Bundle.main.url(forResource: "set-\(level)", withExtension: "txt"),
            let music = Bundle.main.url(forResource: "track1", withExtension: "ogg", subdirectory: "bgm")
        else { throw CocoaError(.fileReadNoSuchFile) }
        bytes += try Data(contentsOf: list).count + Data(contentsOf: music).count
        return "\(maps.count) maps, \(bytes) bytes"
    }

    var description: String {
        let held = playing.map { "playing \($0.level)" } ?? "nowhere"
        return held + (next.map { ", next \($0.level) at \(Int($0.request.progress.fractionCompleted * 100))%" } ?? "")
    }
}
