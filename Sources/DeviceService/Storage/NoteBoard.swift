// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// The last things that went wrong and were lived with, for `status`.
final class NoteBoard: Sendable {
    static let capacity = 50

    private let notes = Locked<[StatusNote]>([])

    func add(_ message: String, app: String? = nil) {
        let note = StatusNote(time: Timestamp.now.seconds, app: app, message: message)
        notes.withLock { notes in
            if let last = notes.last, last.app == app, last.message == message { return }
            notes.append(note)
            if notes.count > Self.capacity { notes.removeFirst() }
        }
    }

    var all: [StatusNote] { notes.withLock { $0 } }
}
