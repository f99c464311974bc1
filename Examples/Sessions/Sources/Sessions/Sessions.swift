// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import SessionLibrary

/// Films of talks, in a terminal: `list` says which are here, `play <id>` fetches one at once if it is missing and plays it,
/// `login <name> <password>` is for films that only members get, `restore` schedules all that are missing, `quit` ends.
@main
enum Sessions {
    static func main() throws {
        let player = try Player()
        BADownloadManager.shared.delegate = player
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            do {
                switch words.first {
                case "list": say("ok " + player.list())
                case "play": say("ok " + (try player.play(words.dropFirst().first ?? "")))
                case "restore": say("ok " + (try player.restore()))
                case "login" where words.count == 3:
                    try player.join(words[1], words[2])
                    say("ok")
                case "quit": return
                default: say("error list, play <id>, login <name> <password>, restore or quit")
                }
            } catch {
                say("error \(error.localizedDescription)")
            }
        }
    }
}

/// One line at once; standard output may be a pipe and would be held back.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
