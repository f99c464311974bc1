// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Kit
import PackNamespace
import System
import TestSupport

/// An app that reads its packs without a pause and says each thing that may not be: `violation …`. Commands come on standard
/// input, one a line; each is answered by a line that begins with `ok`.
///
/// `require <pack>`: from now on the pack must be readable. `release <pack>`: it may go. `loose`, `strict`: the whole app may
/// go, or not. `counts`: files and bytes that were checked.
@main
enum TortureReader {
    @MainActor
    static func main() async throws {
        let state = Locked(ReaderState())
        let root = FilePath(ProcessInfo.processInfo.environment["LARDER_APP_ROOT"] ?? "/nowhere")
        try WorkerThread.start(name: "reader") { PackReading(state: state, root: root).run() }
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let name = words.dropFirst().first ?? ""
            switch words.first {
            case "require": state.withLock { _ = $0.required.insert(name) }
            case "release": state.withLock { _ = $0.required.remove(name) }
            case "loose": state.withLock { $0.isLoose = true }
            case "strict": state.withLock { $0.isLoose = false }
            case "counts":
                let counts = state.withLock { $0 }
                say("ok \(counts.files) \(counts.bytes) \(counts.passes)")
                continue
            default: break
            }
            say("ok")
        }
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
}
