// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import TestSupport

/// A process of the app, and what its requests are known to be.
final class ResourceHolder {
    enum Phase {
        /// Was asked for and has not said anything yet.
        case coming
        /// Said that it can be used: nothing of it may go.
        case begun
    }

    struct Request {
        var tags: Set<String>
        var phase: Phase
    }

    let program: RunningProgram
    private(set) var requests: [String: Request] = [:]
    /// All requests that this process ever made: their tags, and what was asked and said of them.
    private var histories: [String: (tags: Set<String>, said: [String])] = [:]
    private var seen = 0

    init(_ program: RunningProgram) { self.program = program }

    func ask(_ command: String) async throws -> String {
        let answer = try await program.ask(command)
        let words = command.split(separator: " ")
        if words.count > 1 { histories[String(words[1])]?.said.append("\(words[0]): \(answer)") }
        return answer
    }

    /// What became of the requests for any of some tags, for whoever has to explain it.
    func history(of tags: Set<String>) -> [String] {
        histories.filter { !$0.value.tags.isDisjoint(with: tags) }.sorted { $0.key < $1.key }.map {
            "\($0.key) for \($0.value.tags.sorted()): \($0.value.said.joined(separator: ", "))"
        }
    }

    func begin(_ name: String, _ tags: Set<String>, isConditional: Bool) async throws {
        histories[name] = (tags, [])
        _ = try await ask("make \(name) \(tags.sorted().joined(separator: ","))")
        if isConditional {
            guard try await ask("conditionally \(name)") == "ok true" else {
                _ = try await ask("drop \(name)")
                return
            }
            requests[name] = Request(tags: tags, phase: .begun)
        } else {
            _ = try await ask("start \(name)")
            requests[name] = Request(tags: tags, phase: .coming)
        }
    }

    /// From here on it need not be there any more.
    func end(_ name: String, _ verb: String) async throws {
        requests[name] = nil
        _ = try await ask("\(verb) \(name)")
    }

    /// Takes note of what the process has said of its requests.
    func look() {
        let lines = program.lines
        for line in lines[min(seen, lines.count)...] {
            let words = line.split(separator: " ")
            guard words.count >= 3, words[0] == "update" else { continue }
            let name = String(words[1])
            histories[name]?.said.append(words[2...].joined(separator: " "))
            if words[2] == "begun" { requests[name]?.phase = .begun } else { requests[name] = nil }
        }
        seen = lines.count
    }

    /// Tags that this process can use now.
    var held: Set<String> {
        requests.values.filter { $0.phase == .begun }.reduce(into: []) { $0.formUnion($1.tags) }
    }

    /// Tags that it uses, or may be about to.
    var wanted: Set<String> { requests.values.reduce(into: []) { $0.formUnion($1.tags) } }
}
