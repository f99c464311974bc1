// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import OnDemandResources

/// A game in a terminal: `enter <level>` plays a level, `where` says what is held and what is on its way, `quit` ends.
@main
enum Levels {
    @MainActor
    static func main() async {
        let game = Game()
        say("ready")
        for await line in lines() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "enter":
                do {
                    say("ok " + (try await game.enter(words.dropFirst().first ?? "")))
                } catch {
                    say("error \(error.localizedDescription)")
                }
            case "where": say("ok " + game.description)
            case "quit": return
            default: say("error enter <level>, where or quit; levels are \(Game.levels.joined(separator: ", "))")
            }
        }
    }

    /// What the player types; the game goes on meanwhile.
    private static func lines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}

/// One line at once; standard output may be a pipe and would be held back.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
