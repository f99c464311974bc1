// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The life of a resource: its states as App Store Connect spells them, and which event leads from which to which.
package protocol StateMachine: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    associatedtype Event: CaseIterable, Hashable, Sendable

    /// Where the resource is when it is made.
    static var initial: Self { get }

    /// The state after the event; nil when the event must not happen in this state.
    func next(_ event: Event) -> Self?
}

extension StateMachine {
    /// The state after the event.
    package func step(_ event: Event) -> Result<Self, IllegalStep> {
        if let next = next(event) { return .success(next) }
        return .failure(IllegalStep(state: rawValue, event: "\(event)"))
    }
}

/// An event came in a state in which it must not.
package struct IllegalStep: Error, Hashable, CustomStringConvertible {
    package let state: String
    package let event: String

    package init(state: String, event: String) {
        self.state = state
        self.event = event
    }

    package var description: String { "\(event) is not possible in the state \(state)" }
}
