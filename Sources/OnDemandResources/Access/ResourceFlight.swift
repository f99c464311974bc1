// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import BackgroundAssets
internal import DeviceProtocol
internal import Foundation
internal import Kit

/// One request while the service works on it: brings what changes to the service, in the order in which it changed.
final class ResourceFlight: Sendable {
    private struct State {
        var wanted: ResourcesSteering
        var told: ResourcesSteering
        /// The service knows the request.
        var isKnown = false
        var isTelling = false
        var task: Task<Void, any Error>?
    }

    private let access: ResourceAccess
    private let app: String
    private let id = UUID().uuidString
    private let state: Locked<State>

    init(_ access: ResourceAccess, app: String, _ steering: ResourcesSteering) {
        self.access = access
        self.app = app
        state = Locked(State(wanted: steering, told: steering))
    }

    /// Has the service fetch what tags need, and returns once that is done. A service that goes away is asked again.
    /// - Throws: `DeviceError`, `CancellationError`
    func run(_ tags: Set<String>, _ report: @escaping @Sendable (ResourcesProgress) -> Void) async throws {
        let task = Task {
            try await RetryPolicy.service.repeating {
                let steering = state.withLock { state in
                    state.told = state.wanted
                    state.isKnown = false
                    return state.wanted
                }
                if steering.isCancelled { throw CancellationError() }
                let request = ResourcesRequest(app: app, tags: tags.sorted(), request: id, steering: steering)
                for try await progress in try await access.service.stream(request) {
                    state.withLock { $0.isKnown = true }
                    tell()
                    if progress.total > 0 { report(progress) }
                }
                try Task.checkCancellation()
            }
        }
        state.withLock { $0.task = task }
        defer {
            state.withLock { state in
                state.isKnown = false
                state.task = nil
            }
        }
        if state.withLock(\.wanted.isCancelled) { task.cancel() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            cancel()
        }
    }

    func change(_ body: (inout ResourcesSteering) -> Void) {
        state.withLock { body(&$0.wanted) }
        tell()
    }

    func cancel() {
        let task = state.withLock { state -> Task<Void, any Error>? in
            state.wanted.isCancelled = true
            // A service that knows the request ends it; one that does not is not waited for.
            return state.isKnown ? nil : state.task
        }
        task?.cancel()
        tell()
    }

    private func tell() {
        let isMine = state.withLock { state in
            guard state.isKnown, !state.isTelling, state.wanted != state.told else { return false }
            state.isTelling = true
            return true
        }
        guard isMine else { return }
        Task {
            while let steering = next() {
                _ = try? await access.service.send(SteerResourcesRequest(app: app, request: id, steering: steering))
            }
        }
    }

    private func next() -> ResourcesSteering? {
        state.withLock { state in
            guard state.isKnown, state.wanted != state.told else {
                state.isTelling = false
                return nil
            }
            state.told = state.wanted
            return state.wanted
        }
    }
}
