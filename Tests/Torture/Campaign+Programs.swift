// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport

/// The programs of a campaign, and what the reader says.
extension Campaign {
    func startService() async throws {
        let service = try await device.start()
        running.withLock { $0.service = service }
        starts.withLock { $0 += 1 }
    }

    /// Waits until the service has been started once more than `known` times, for a moment at most.
    func nextStart(after known: Int) async {
        let starts = starts
        _ = try? await offload { starts.wait(atMost: .milliseconds(500)) { $0 > known ? () : nil } }
    }

    /// Starts a reader and tells it what it must find; it does so as soon as it can.
    func startReader() throws {
        let root = device.paths.appRoot(SampleApp.bundleID)
        let reader = try RunningProgram(
            "TortureReader",
            environment: device.environment.merging([
                "LARDER_BUNDLE_ID": SampleApp.bundleID, "LARDER_APP_ROOT": root.string,
                "LARDER_SOCKET": device.paths.socket.string, "LARDERD": "/no/larderd",
            ]) { $1 })
        running.withLock { ($0.reader, $0.seen) = (reader, 0) }
        let packs = required.withLock { $0 }
        for pack in packs { try? reader.tell("start require \(pack)") }
        if !packs.isEmpty { try? reader.tell("start strict") }
    }

    /// Has the reader do something; questions may be under way at the same time.
    func ask(_ reader: RunningProgram, _ command: String) async throws -> String {
        let word = running.withLock { running in
            running.asked += 1
            return "q\(running.asked)"
        }
        let start = reader.lines.count
        try reader.tell("\(word) \(command)")
        return try await reader.line(from: start) { $0.hasPrefix("ok \(word) ") || $0.hasPrefix("error \(word) ") }
    }

    /// Takes over what the reader has said.
    func collect() async {
        guard let reader = running.withLock({ $0.reader }) else { return }
        if let counts = try? await ask(reader, "counts").split(separator: " ").compactMap({ Int($0) }),
            counts.count == 2
        {
            read.withLock { $0[reader.processID] = (counts[0], counts[1]) }
        }
        absorb(reader)
    }

    func absorb(_ reader: RunningProgram) {
        let lines = reader.lines
        let seen = running.withLock { running in
            defer { if running.reader === reader { running.seen = lines.count } }
            return running.reader === reader ? running.seen : lines.count
        }
        for line in lines.dropFirst(seen) {
            if line.hasPrefix("violation") { tally.violation("reader: \(line.dropFirst(10))") }
            let words = line.split(separator: " ")
            if words.first == "failed", words.count > 1 { films.withLock { _ = $0.failed.insert(String(words[1])) } }
        }
    }

    // MARK: - What the reader must find

    func require(_ packs: [String]) async throws {
        required.withLock { $0.formUnion(packs) }
        guard let reader = running.withLock({ $0.reader }) else { return }
        // A reader that is killed meanwhile is told when it starts again.
        for pack in packs { try? reader.tell("start require \(pack)") }
        _ = try? await ask(reader, "strict")
    }

    /// Lets one pack go, or the whole app.
    func release(_ pack: String? = nil) async throws {
        required.withLock { packs in
            if let pack { packs.remove(pack) } else { packs.removeAll() }
        }
        guard let reader = running.withLock({ $0.reader }) else { return }
        if let pack {
            _ = try await ask(reader, "release \(pack)")
        } else {
            for pack in Publication.packs { try? reader.tell("start release \(pack.id)") }
            _ = try await ask(reader, "loose")
        }
    }
}
