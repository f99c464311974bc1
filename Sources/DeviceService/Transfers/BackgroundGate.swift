// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Keeps the rule for background transfers current while there are any, and tells the queue when it changes.
///
/// The machine's conditions are read when a background transfer turns up, when the machine says that they may have changed,
/// and, for what it says nothing of, once a minute; the settings and who runs are known as they change. While nothing is in
/// the background, nothing is read or listened to.
package final class BackgroundGate: Sendable {
    struct Tools: Sendable {
        let settings: SettingsFile
        let conditions: ConditionsReader
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    }

    /// Between two looks at the machine.
    static let interval = Duration.seconds(60)

    private struct State {
        var nudge: (@Sendable () -> Void)?
        /// There are background transfers.
        var isNeeded = false
        /// How often each client is connected.
        var connections: [String: Int] = [:]
        /// Apps that were launched.
        var launched: Set<String> = []
        /// nil while nobody needs them, or they were not read yet.
        var conditions: Conditions?
        var watch: Task<Void, Never>?
        /// Listens to the machine.
        var ears: ConditionsWatch?
        /// Of the watch; what an older one read does not count.
        var number = 0
        var isStopped = false
    }

    private let tools: Tools
    private let state = Locked(State())

    init(_ tools: Tools) { self.tools = tools }

    /// The rule; nil while it is not known.
    package var rule: BackgroundRule? {
        state.withLock { state in
            state.conditions.map {
                BackgroundRule(
                    settings: tools.settings.current, conditions: $0, running: Set(state.connections.keys))
            }
        }
    }

    /// What may come by itself before an app's first launch; always known.
    package var content: ContentRule {
        let launched = state.withLock { $0.launched }
        return ContentRule(allowsInAppContent: tools.settings.current.allowsInAppContent, launched: launched)
    }

    /// - Parameter nudge: called, from anywhere, when one of the rules may have changed.
    func attach(_ nudge: @escaping @Sendable () -> Void) { state.withLock { $0.nudge = nudge } }

    /// There are, or are no more, transfers that depend on the rule. It calls nobody.
    func need(_ isNeeded: Bool) {
        state.withLock { state in
            guard state.isNeeded != isNeeded else { return }
            state.isNeeded = isNeeded
            if isNeeded { watch(&state) } else { forget(&state) }
        }
    }

    /// A setting was changed: the machine is looked at anew if that matters.
    func settingsChanged() {
        let nudge = state.withLock { state in
            if state.isNeeded { watch(&state) }
            return state.nudge
        }
        nudge?()
    }

    /// These apps were launched for the first time, or are known to have been.
    func launched(_ apps: [String]) {
        let nudge = state.withLock { state in
            state.launched.formUnion(apps)
            return state.nudge
        }
        nudge?()
    }

    /// The app is gone; installed again it was not launched yet.
    func forget(_ app: String) { state.withLock { _ = $0.launched.remove(app) } }

    /// A client, by its bundle id, came or went.
    func connected(_ client: String, _ isConnected: Bool) {
        let nudge = state.withLock { state in
            let count = (state.connections[client] ?? 0) + (isConnected ? 1 : -1)
            state.connections[client] = count > 0 ? count : nil
            return state.isNeeded ? state.nudge : nil
        }
        nudge?()
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            forget(&state)
        }
    }

    private func forget(_ state: inout State) {
        state.watch?.cancel()
        state.watch = nil
        state.ears?.stop()
        state.ears = nil
        state.number += 1
        state.conditions = nil
    }

    private func watch(_ state: inout State) {
        guard !state.isStopped else { return }
        state.watch?.cancel()
        state.number += 1
        let number = state.number
        state.watch = Task { [weak self] in await self?.look(number) }
        listen(&state)
    }

    /// Listens to the machine while what it says counts.
    private func listen(_ state: inout State) {
        guard tools.settings.current.dependsOnMachine else {
            state.ears?.stop()
            state.ears = nil
            return
        }
        guard state.ears == nil else { return }
        // Without it there is still the look once a minute.
        guard let ears = try? tools.conditions.watch({ [weak self] in self?.settingsChanged() }) else { return }
        state.ears = ears
    }

    private func look(_ number: Int) async {
        while !Task.isCancelled {
            let (reader, settings) = (tools.conditions, tools.settings.current)
            let conditions = (try? await offload { reader.read(settings) }) ?? Conditions()
            let nudge = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.number == number else { return nil }
                state.conditions = conditions
                return state.isNeeded ? state.nudge : nil
            }
            nudge?()
            // What only a setting says changes only with it.
            guard settings.dependsOnMachine, (try? await tools.sleep(Self.interval)) != nil else { return }
        }
    }
}
