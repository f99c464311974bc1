// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Kit
import PackNamespace
import System
import TestSupport

/// An app that reads its packs without a pause and says each thing that may not be: `violation …`. Commands come on standard
/// input, one a line, behind a word that the answer bears: `ok <word> …` or `error <word> …`.
///
/// `require <pack>`: from now on the pack must be readable. `release <pack>`: it may go. `loose`, `strict`: the whole app may
/// go, or not. `counts`: files and bytes that were checked. `pass`: answers when everything was read once more from start to
/// end. `schedule <id> <url> <size>`, `cancel <id>`, `promote`: unmanaged
/// downloads.
@main
enum TortureReader {
    @MainActor
    static func main() async throws {
        let state = Monitor(ReaderState())
        let root = FilePath(ProcessInfo.processInfo.environment["LARDER_APP_ROOT"] ?? "/nowhere")
        try WorkerThread.start(name: "reader") {
            do {
                try PackReading(state: state, root: root).run()
            } catch {
                say("violation the reader cannot work: \(error)")
            }
        }
        let downloads = try FilmDownloads()
        BADownloadManager.shared.delegate = downloads
        say("ready")
        while let line = readLine() {
            var words = line.split(separator: " ").map(String.init)
            guard words.count > 1 else { continue }
            let token = words.removeFirst()
            let name = words.dropFirst().first ?? ""
            switch words.first {
            case "require": state.withLock { _ = $0.required.insert(name) }
            case "release": state.withLock { _ = $0.required.remove(name) }
            case "loose": state.withLock { $0.isLoose = true }
            case "strict": state.withLock { $0.isLoose = false }
            case "counts":
                let counts = state.peek { $0 }
                say("ok \(token) \(counts.files) \(counts.bytes)")
                continue
            case "pass":
                // The pass that is under way began before.
                let wanted = state.withLock { state in
                    state.wantedPasses = state.passes + 2
                    return state.wantedPasses
                }
                try WorkerThread.start(name: "pass") {
                    state.wait { $0.passes >= wanted ? () : nil }
                    say("ok \(token) ")
                }
                continue
            case "schedule", "cancel", "promote":
                say(answer(token) { try downloads.run(words) })
                continue
            default: break
            }
            say("ok \(token) ")
        }
    }
}

/// `ok` and what came of it, or `error` and why not.
func answer(_ token: String, _ body: () throws -> String) -> String {
    do {
        return "ok \(token) \(try body())"
    } catch let error as BAError {
        return "error \(token) \(error.code) \(error.localizedDescription.replacingOccurrences(of: "\n", with: " "))"
    } catch {
        return "error \(token) \(error)"
    }
}

/// One line at once; standard output is a pipe and would be held back.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

struct ReaderState {
    var required: Set<String> = []
    var isLoose = true
    var files = 0
    var bytes = 0
    var passes = 0
    /// Passes that somebody waits for.
    var wantedPasses = 0
}
