// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

extension Connection {
    /// Takes a resource's step and stores it. The only way a stored state changes.
    /// - Throws: `IllegalStep`, `DatabaseError`
    func step<State: StateMachine>(
        _ record: inout ResourceRecord, _ type: State.Type, _ event: State.Event, in name: String = "state"
    ) throws {
        let old = record.text(name)
        try record.step(type, event, in: name)
        try update(record)
        if let kind = WebhookEventType(stateOf: record.type) {
            try announce(kind, record, old: old, new: record.text(name))
        }
    }
}
