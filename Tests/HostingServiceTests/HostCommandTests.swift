// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingService
import Kit
import System
import TestSupport
import Testing

/// The command line of `larder-host`.
@Suite(.timeLimit(.minutes(5))) struct HostCommandTests {
    @Test func everyCommandIsExplainedWithAnExample() {
        #expect(CommandTreeCheck.problems(in: HostCommands.tree) == [])
    }

    /// Whoever lost what `create` printed finds it again, but for the key itself.
    @Test func keysAreListedWithTheirIssuer() async throws {
        try await Scratch.with { scratch in
            func run(_ words: String...) async throws -> JSONValue {
                let (output, errors) = (BufferSink(), BufferSink())
                let context = CommandContext(
                    programName: "larder-host", environment: ["LARDER_HOME": scratch("home").string],
                    workingDirectory: scratch(""), standardOutput: output, standardError: errors)
                let runner = CommandRunner(root: HostCommands.tree, version: "test")
                let code = await runner.run(words + ["--json"], context: context)
                try #require(code == .success, "\(errors.text)")
                return try JSONParser.parse(output.text).value
            }
            let made = try await run("keys", "create", "CI")
            let listed = try await run("keys", "list")
            #expect(listed["id"] == made["id"])
            #expect(made["issuer"] != nil)
            #expect(listed["issuer"] == made["issuer"])
        }
    }

    /// What a slip of the pen leads to: an end that says what is wrong, and nothing half done.
    @Test func mistakesAreSaid() async throws {
        try await Scratch.with { scratch in
            func run(_ words: String...) async -> (code: ExitCode, errors: String) {
                let (output, errors) = (BufferSink(), BufferSink())
                let context = CommandContext(
                    programName: "larder-host", environment: ["LARDER_HOME": scratch("home").string],
                    workingDirectory: scratch(""), standardOutput: output, standardError: errors)
                let code = await CommandRunner(root: HostCommands.tree, version: "test").run(words, context: context)
                return (code, errors.text)
            }
            // A folder that cannot be made, as /proc has none but its own.
            let nowhere = await run("app", "list", "--data", "/proc/larder-tests/host")
            #expect(nowhere.code == .failure && nowhere.errors.contains("/proc/larder-tests/host"), "\(nowhere)")
            // Mail that nobody would send.
            for words in [["--mail-to", "team@example.com"], ["--mail-from", "packs@example.com"]] {
                let mail = await run("serve", "--port", "0", words[0], words[1])
                #expect(mail.code == .usage && mail.errors.contains("--smtp"), "\(mail)")
            }
            try scratch.write("mine", to: "mine.p8")
            let taken = await run("keys", "create", "CI", "--out", "mine.p8")
            #expect(taken.code == .failure && taken.errors.contains("mine.p8"), "\(taken)")
            let administration = try await HostAdministration(HostConfiguration(data: scratch("home/state/host")))
            #expect(try await administration.keys().isEmpty)
            await administration.close()
        }
    }

    /// What administers a host does so wherever its database is.
    @Test func whatTakesADataFolderTakesADatabase() {
        func check(_ command: Command) {
            let names = Set(command.options.map(\.name))
            #expect(names.contains("data") == names.contains("database"), "\(command.name)")
            command.subcommands.forEach(check)
        }
        check(HostCommands.tree)
    }
}
