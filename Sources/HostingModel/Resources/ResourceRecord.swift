// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// One resource: what is stored about it.
package struct ResourceRecord: Hashable, Sendable {
    package let type: ResourceType
    package let id: String
    /// The app it belongs to in the end; an app belongs to itself. Decides who may see it.
    package let app: String
    /// Attributes by name, and the identifier that each to-one relationship names.
    package var values: [String: JSONValue]

    package init(_ type: ResourceType, id: String, app: String, values: [String: JSONValue] = [:]) {
        self.type = type
        self.id = id
        self.app = app
        self.values = values
    }

    package subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue == .null ? nil : newValue }
    }

    package func text(_ name: String) -> String? { values[name]?.stringValue }
    package func integer(_ name: String) -> Int64? { values[name]?.integerValue }
    package func flag(_ name: String) -> Bool { values[name]?.boolValue ?? false }

    /// The words of an attribute that is a set of them.
    package func words(_ name: String) -> [String] { values[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// The state in that attribute; nil when it is none that this program knows.
    package func state<State: StateMachine>(_: State.Type, in name: String = "state") -> State? {
        text(name).flatMap(State.init(rawValue:))
    }

    /// Takes the event's step.
    /// - Throws: `IllegalStep`
    package mutating func step<State: StateMachine>(
        _ type: State.Type, _ event: State.Event, in name: String = "state"
    ) throws(IllegalStep) {
        guard let state = state(type, in: name) else {
            throw IllegalStep(state: text(name) ?? "", event: "\(event)")
        }
        self[name] = .string(try state.step(event).get().rawValue)
    }
}
