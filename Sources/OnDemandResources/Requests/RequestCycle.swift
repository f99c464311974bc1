// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Foundation
internal import Kit

/// What one request does, apart from the object that an app has of it: what runs for the request keeps this alive and not
/// that, so that letting go of the object is noticed.
final class RequestCycle: Sendable {
    private struct State {
        var phase = RequestPhase.fresh
        var loadingPriority = 0.5
        var isPaused = false
        var isCancelled = false
        var flight: ResourceFlight?
        /// Handlers that are still to be called, or have not returned.
        var tasks = 0
        /// The app has no object of it any more.
        var isLetGo = false
    }

    let tags: Set<String>
    let bundle: Bundle
    private let meter = RequestProgress()
    private let access: ResourceAccess
    private let state = Locked(State())

    init(tags: Set<String>, bundle: Bundle, access: ResourceAccess) {
        self.tags = tags
        self.bundle = bundle
        self.access = access
        meter.attach(
            pause: { [weak self] in self?.setPaused(true) }, resume: { [weak self] in self?.setPaused(false) },
            cancel: { [weak self] in self?.cancel() })
    }

    var progress: Progress { meter.progress }

    var loadingPriority: Double {
        get { state.withLock(\.loadingPriority) }
        set {
            let flight = state.withLock { state in
                state.loadingPriority = newValue
                return state.flight
            }
            flight?.change { $0.priority = Self.sent(newValue) }
        }
    }

    private static func sent(_ priority: Double) -> Double? {
        priority >= NSBundleResourceRequestLoadingPriorityUrgent ? nil : min(max(priority.isNaN ? 0.5 : priority, 0), 1)
    }

    // MARK: - Access

    /// False when it was begun before.
    func begin() -> Bool { state.withLock { $0.phase.begin() } }

    func end() {
        switch state.withLock({ $0.phase.end() }) {
        case .nothing: return
        case .cancel: state.withLock(\.flight)?.cancel()
        case .letGo(let packs):
            access.letGo(packs)
            access.noteUse(of: tags)
        }
    }

    /// Runs what calls a handler; until that has returned, nobody is too late who lets go.
    func inTask(_ body: @escaping @Sendable (RequestCycle) async -> Void) {
        state.withLock { $0.tasks += 1 }
        Task {
            await body(self)
            let isOver = state.withLock { state in
                state.tasks -= 1
                return state.isLetGo && state.tasks == 0
            }
            if isOver { end() }
        }
    }

    /// The app has let go of its object: what was begun is ended, after the handler if one is to be called. Nobody would go on
    /// with a paused one.
    func letGo() {
        let isOver = state.withLock { state in
            state.isLetGo = true
            return state.tasks == 0 || (state.isPaused && state.phase == .beginning)
        }
        if isOver { end() }
    }

    func beginIfLocal() -> Bool {
        guard begin() else { return false }
        guard let packs = try? access.packs(of: tags), (try? access.tryToHold(packs)) == true else {
            state.withLock { $0.phase.decline() }
            return false
        }
        guard access.areLocal(packs), (try? access.checkLimit(for: tags)) != nil else {
            access.letGo(packs)
            state.withLock { $0.phase.decline() }
            return false
        }
        return succeed(packs)
    }

    /// False when the request was ended meanwhile; then nothing is held.
    private func succeed(_ packs: Set<String>) -> Bool {
        BundleCaches.flush(bundle, generation: access.generation)
        meter.finish()
        guard state.withLock({ $0.phase.succeed(packs) }) else {
            access.letGo(packs)
            return false
        }
        access.noteUse(of: tags)
        return true
    }

    /// Fetches what is missing for a request that was begun.
    /// - Throws: what is documented of `beginAccessingResources`.
    func fetch() async throws {
        do {
            let packs = try access.packs(of: tags)
            // From here on nothing of it goes, whether it is there already or still comes.
            try await access.hold(packs)
            do {
                try await bring(packs)
                try access.checkLimit(for: tags)
            } catch {
                access.letGo(packs)
                throw error
            }
            guard succeed(packs) else { throw CancellationError() }
        } catch {
            state.withLock { $0.phase.fail() }
            throw requestError(error)
        }
    }

    private func bring(_ packs: Set<String>) async throws {
        let app = try access.app
        // Again where somebody else took it away on the way: an update that ended it, or a person.
        for _ in 0..<3 {
            if access.areLocal(packs) { return }
            let flight = try state.withLock { state in
                guard state.phase == .beginning, !state.isCancelled else { throw CancellationError() }
                let flight = ResourceFlight(
                    access, app: app,
                    ResourcesSteering(priority: Self.sent(state.loadingPriority), isPaused: state.isPaused))
                state.flight = flight
                return flight
            }
            defer { state.withLock { $0.flight = nil } }
            try await flight.run(tags) { [meter] in meter.update($0) }
        }
        if access.areLocal(packs) { return }
        throw NSBundleResourceRequestError(
            .failed,
            "The resources for \(tags.sorted().joined(separator: ", ")) are taken away as soon as they come. Try again."
        )
    }

    // MARK: - Progress

    private func setPaused(_ isPaused: Bool) {
        let (flight, isOver) = state.withLock { state in
            state.isPaused = isPaused
            return (state.flight, isPaused && state.isLetGo && state.phase == .beginning)
        }
        if isOver { return end() }
        flight?.change { $0.isPaused = isPaused }
    }

    private func cancel() {
        let flight = state.withLock { state in
            state.isCancelled = true
            return state.flight
        }
        flight?.cancel()
    }
}
