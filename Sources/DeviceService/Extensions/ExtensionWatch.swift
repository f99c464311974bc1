// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What the threads around a running extension know of it.
struct ExtensionWatch {
    var meter: RuntimeMeter
    /// The session is over; nobody is to be killed any more.
    var isOver = false
    var wasEnded = false
    /// What it overfilled, for which it was ended.
    var overfilled: FolderBound?
}

extension Monitor<ExtensionWatch> {
    /// Blocks until the meter has something to be done.
    /// - Returns: `warn` or `end`; nil when the session is over.
    func nextStep() -> RuntimeMeter.Step? {
        while true {
            // What was looked at is what is waited on: time that begins between the two would be waited for in vain.
            let (step, meter) = withLock { watch in
                (watch.isOver ? nil : watch.meter.step(.now), watch.meter)
            }
            let hasChanged: (inout ExtensionWatch) -> Void? = { $0.isOver || $0.meter != meter ? () : nil }
            switch step {
            case .idle: wait(hasChanged)
            case .wait(let until): _ = wait(atMost: max(.zero, ContinuousClock.now.duration(to: until)), hasChanged)
            case .warn, .end, nil: return step
            }
        }
    }
}
