// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation
internal import Kit

/// The loading priority of what a person waits for: before everything else that is being fetched.
public let NSBundleResourceRequestLoadingPriorityUrgent: Double = .greatestFiniteMagnitude

extension NSNotification.Name {
    /// Room is needed for on-demand resources and cannot be made. Who ends its access to some makes room.
    public static let NSBundleResourceRequestLowDiskSpace = NSNotification.Name(
        "NSBundleResourceRequestLowDiskSpaceNotification")
}

/// Asks for the resources that have tags, and keeps them on the device while they are used. (BA 6.1)
///
/// ```swift
/// let request = NSBundleResourceRequest(tags: ["Level 3"])
/// try await request.beginAccessingResources()
/// let map = request.bundle.url(forResource: "map", withExtension: "json", subdirectory: "Levels/3")
/// ```
/// Each object serves one time: it is begun once and ended once. Letting go of it ends it. No resource that any request of any
/// process uses is taken away.
public final class NSBundleResourceRequest: NSObject, ProgressReporting, Sendable {
    private struct State {
        var phase = RequestPhase.fresh
        var loadingPriority = 0.5
        var isPaused = false
        var isCancelled = false
        var flight: ResourceFlight?
    }

    /// What is asked for.
    public let tags: Set<String>
    /// Where the resources are looked up.
    public let bundle: Bundle
    private let meter: RequestProgress
    private let access: ResourceAccess
    private let state = Locked(State())

    /// Asks for resources of the app's own bundle.
    public convenience init(tags: Set<String>) { self.init(tags: tags, bundle: .main) }

    /// Asks for resources of a bundle of the app.
    public convenience init(tags: Set<String>, bundle: Bundle) {
        self.init(tags: tags, bundle: bundle, access: .shared)
    }

    package init(tags: Set<String>, bundle: Bundle, access: ResourceAccess) {
        self.tags = tags
        self.bundle = bundle
        self.access = access
        meter = RequestProgress()
        super.init()
        meter.attach(
            pause: { [weak self] in self?.setPaused(true) }, resume: { [weak self] in self?.setPaused(false) },
            cancel: { [weak self] in self?.cancel() })
    }

    deinit { endAccessingResources() }

    /// How far the download is, in bytes; it can be paused, resumed and cancelled. It is whole once the resources can be used.
    public var progress: Progress { meter.progress }

    /// From 0 to 1, or `NSBundleResourceRequestLoadingPriorityUrgent`; one half unless it is set. It may be changed at any
    /// time.
    public var loadingPriority: Double {
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

    /// Fetches what is not on the device, and begins access. The handler is called when the resources can be used, or with what
    /// went wrong: a `CocoaError` with one of the codes of on-demand resources, `userCancelled`, or
    /// ``NSBundleResourceRequestError``.
    public func beginAccessingResources(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let isFirst = state.withLock { $0.phase.begin() }
        Task {
            do {
                guard isFirst else { throw NSBundleResourceRequestError.alreadyUsed(tags) }
                try await fetch()
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    /// Fetches what is not on the device, and begins access.
    /// - Throws: a `CocoaError` with one of the codes of on-demand resources, `userCancelled`, or
    ///   ``NSBundleResourceRequestError``.
    public func beginAccessingResources() async throws {
        guard state.withLock({ $0.phase.begin() }) else { throw NSBundleResourceRequestError.alreadyUsed(tags) }
        try await fetch()
    }

    /// Begins access if everything is on the device; nothing is fetched. The handler is told whether it has begun; if not, the
    /// request can still be begun.
    public func conditionallyBeginAccessingResources(completionHandler: @escaping @Sendable (Bool) -> Void) {
        let isThere = beginIfLocal()
        Task { completionHandler(isThere) }
    }

    /// Begins access if everything is on the device; nothing is fetched.
    /// - Returns: whether it has begun; if not, the request can still be begun.
    public func conditionallyBeginAccessingResources() async -> Bool { beginIfLocal() }

    /// Ends access, or the download for it. The resources may then be taken away when room is needed. Ending what was not begun,
    /// or again, does nothing.
    public func endAccessingResources() {
        switch state.withLock({ $0.phase.end() }) {
        case .nothing: return
        case .cancel: state.withLock(\.flight)?.cancel()
        case .letGo(let packs):
            access.letGo(packs)
            access.noteUse(of: tags)
        }
    }

    private func beginIfLocal() -> Bool {
        guard state.withLock({ $0.phase.begin() }) else { return false }
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

    private func fetch() async throws {
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
        let flight = state.withLock { state in
            state.isPaused = isPaused
            return state.flight
        }
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
