// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// Shows an install or update as it goes: one bar over the whole of it, plain lines, or JSON lines.
struct InstallDisplay {
    private let context: CommandContext
    private let bar: ProgressBar
    private let showsNotes: Bool
    private let started = ContinuousClock.now
    private var shownNotes: Set<String> = []
    private(set) var last: InstallEvent?

    /// - Parameter showsNotes: whether what went wrong and was lived with is told, too.
    init(_ context: CommandContext, showsNotes: Bool = true) {
        self.context = context
        self.showsNotes = showsNotes
        bar = ProgressBar(context)
    }

    /// Follows the events to their end.
    /// - Returns: the last event; nil when there was none.
    /// - Throws: what the install failed with, `CancellationError` after Ctrl-C.
    mutating func follow(_ events: AsyncThrowingStream<InstallEvent, any Error>) async throws -> InstallEvent? {
        defer { bar.clear() }
        last = nil
        for try await event in events {
            last = event
            if context.json { try context.print(encoding: event) } else { show(event) }
        }
        bar.clear()
        if Task.isCancelled {
            if let last, !last.phase.isFinal {
                context.note(
                    "\(last.displayName) goes on in the background. 'larder watch \(last.app)' shows it, "
                        + "'larder cancel \(last.app)' ends it.")
            }
            throw CancellationError()
        }
        guard let last else { return nil }
        switch last.phase {
        case .failed:
            throw last.error
                ?? DeviceError(.failed, "\(last.displayName) could not be installed; 'larder status' may tell more.")
        case .cancelled:
            throw CommandError("install.cancelled", "The install of \(last.displayName) was cancelled.")
        default: return last
        }
    }

    private mutating func show(_ event: InstallEvent) {
        for note in event.notes where showsNotes && shownNotes.insert(note).inserted { bar.note("note: \(note)") }
        for pack in event.packs {
            guard let error = pack.error, !shownNotes.contains(error.message),
                shownNotes.insert("\(pack.id) \(error.message)").inserted
            else { continue }
            bar.note("\(pack.id): \(error.message)")
        }
        guard !event.phase.isFinal, event.phase != .launchable else { return }
        bar.update(
            phase: Self.text(event), completed: event.completed, total: event.total > 0 ? event.total : nil,
            rate: event.bytesPerSecond > 0 ? event.bytesPerSecond : nil)
    }

    /// The line after the bar: what was done, how much and how long.
    func summary(_ verb: String, _ event: InstallEvent) -> String {
        var text = "\(verb) \(event.displayName) (\(event.app))"
        if event.completed > 0 { text += ": \(ByteCount.formatted(event.completed))" }
        text += " in \(started.duration(to: .now).formatted)."
        let coming = event.packs.filter {
            $0.essentialError == nil && [.queued, .downloading, .waiting].contains($0.state)
        }.map(\.id)
        if !coming.isEmpty { text += " Still coming behind: \(coming.joined(separator: ", "))." }
        return text
    }

    /// What is to be said of essential packs that failed for good; nil when all are there.
    static func missing(_ event: InstallEvent) -> CommandError? {
        let missing = event.packs.filter { $0.essentialError != nil && $0.state != .local }
        guard !missing.isEmpty else { return nil }
        let reasons = missing.map { "\($0.id): \($0.error?.message ?? $0.essentialError?.message ?? "")" }
        return CommandError(
            "install.incomplete",
            "\(event.displayName) may be launched, but \(missing.count == 1 ? "an essential pack is" : "essential packs are") "
                + "missing. \(reasons.joined(separator: " "))"
                + (event.phase.isFinal
                    ? " What is missing was tried twice" : " What is missing is tried once more behind")
                + ", and is tried again whenever the app asks for it; 'larder packs \(event.app)' shows how that goes.")
    }

    static func text(_ event: InstallEvent) -> String {
        let name = event.displayName.isEmpty ? event.app : event.displayName
        return switch event.phase {
        case .checking: "Checking \(name)"
        case .fetchingManifest: "Asking what \(name) needs"
        case .askingExtension: "Asking \(name)'s extension"
        case .planning: "Planning \(name)"
        case .copyingApp: "Copying \(name)"
        case .downloading: "Downloading \(name)"
        case .finishing: "Finishing \(name)"
        case .undoing: "Taking back what was made of \(name)"
        case .paused: "Paused; 'larder resume \(event.app)' goes on"
        case .launchable: "\(name) may be launched; more is coming"
        case .complete: "\(name) is complete"
        default: "Working on \(name)"
        }
    }
}
