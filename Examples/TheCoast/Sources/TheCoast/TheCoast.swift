// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets

/// A game without the game: it opens, and its assets are there, or come while one watches.
@main
struct TheCoast {
    static func main() async {
        let options = Options(CommandLine.arguments.dropFirst())
        let journal = Journal(asJSON: options.json)
        let watchdog = Task {
            try await Task.sleep(for: options.limit)
            journal.trouble("not done after \(options.limit); giving up")
            exit(3)
        }
        do {
            try await Journey(journal: journal, options: options).run()
            watchdog.cancel()
            journal.end()
        } catch {
            journal.trouble("\(error)")
            exit(1)
        }
    }
}

/// What the command line asks for.
struct Options {
    /// One JSON object on each line instead of text.
    var json = false
    /// Fail when the prefetch pack is there at once, so that nothing was waited for.
    var requireWait = false
    /// Cancel the on-demand download twice before letting it finish.
    var cancel = false
    /// How long all of it may take.
    var limit = Duration.seconds(300)

    init(_ arguments: some Sequence<String>) {
        for argument in arguments {
            switch argument {
            case "--json": json = true
            case "--require-wait": requireWait = true
            case "--cancel": cancel = true
            default:
                print("usage: TheCoast [--json] [--require-wait] [--cancel]")
                exit(argument == "--help" ? 0 : 2)
            }
        }
    }
}

/// Something is not as it should be.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless `condition` holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw Trouble(otherwise()) }
}
