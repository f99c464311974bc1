// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingService
import Kit
import System
import TestSupport
import Testing

/// The command line of `larder-host`.
@Suite struct HostCommandTests {
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
