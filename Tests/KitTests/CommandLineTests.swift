// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

@Suite("Command line")
struct CommandLineTests {
    private static let tool = Command(
        "tool", summary: "A tool",
        subcommands: [
            Command(
                "package", aliases: ["pack"], summary: "Make a pack", discussion: "From a manifest.",
                examples: [.init("tool package M.json -o X.aar", "makes X.aar")],
                options: [
                    .value("output", short: "o", "file", "The archive.", completion: .file),
                    .value("level", "n", "How much.", default: "3"),
                    .value("compression", "name", "Which.", completion: .choices(["lzfse", "lzma", "none"])),
                    .repeatable("url", short: "u", "url", "Where."),
                    .flag("force", short: "f", "Overwrite."), .flag("verbose", short: "v", "Say more."), .json,
                ],
                arguments: [CommandArgument("manifest", "The manifest.", completion: .file)]
            ) { arguments, context in
                context.print("output=\(arguments.value("output") ?? "-")")
                _ = try arguments.integer("level", in: 1...9)
                return .success
            },
            Command(
                "list", summary: "Many values",
                options: [.upToNextOption("version", short: "n", "number", "Versions.")],
                arguments: [CommandArgument("files", "Files.", isOptional: true, isRepeating: true)]
            ) { _, _ in .success },
            Command(
                "run", summary: "Run a program", options: [.value("app", "id", "The app.")],
                arguments: [CommandArgument("command", "What to run.", isVerbatim: true)]
            ) { _, _ in .success },
            Command("secret", summary: "Hidden", isHidden: true) { _, _ in throw CancellationError() },
        ],
        defaultSubcommand: "package")

    private func parse(_ words: [String]) throws -> (String, ParsedArguments) {
        guard case .run(let path, let arguments) = try ArgumentParser(root: Self.tool).parse(words) else {
            throw UsageError("no run")
        }
        return (path.map(\.name).joined(separator: " "), arguments)
    }

    @Test("Options are taken in every spelling, between arguments too")
    func spellings() throws {
        for words in [
            ["package", "--output=x", "--force", "m"], ["pack", "m", "-o", "x", "-f"], ["package", "-fox", "m"],
            ["package", "-f", "-ox", "--", "m"], ["m", "-o=x", "--force"], ["-o", "x", "-f", "m"],
        ] {
            let (name, arguments) = try parse(words)
            #expect(name == "tool package")
            #expect(arguments.value("output") == "x", "\(words)")
            #expect(arguments.flag("force"))
            #expect(!arguments.flag("verbose"))
            #expect(arguments.argument("manifest") == "m")
            #expect(try arguments.integer("level") == 3)
        }
        let (_, arguments) = try parse(["-u", "a", "--url=b", "m", "--level", "5"])
        #expect(arguments.values("url") == ["a", "b"])
        #expect(try arguments.integer("level", in: 1...9) == 5)
    }

    @Test("An option may take all words up to the next")
    func upToNextOption() throws {
        let (_, arguments) = try parse(["list", "a", "--version", "1", "2", "-n", "3", "--", "b"])
        #expect(arguments.values("version") == ["1", "2", "3"])
        #expect(arguments.arguments("files") == ["a", "b"])
    }

    @Test("A command inside the command line keeps its options")
    func verbatim() throws {
        for words in [
            ["run", "--app", "a", "--", "ls", "--app", "-l"], ["run", "--app", "a", "ls", "--app", "-l"],
        ] {
            let (_, arguments) = try parse(words)
            #expect(arguments.value("app") == "a")
            #expect(arguments.arguments("command") == ["ls", "--app", "-l"])
        }
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let words: [String]
        let says: String
        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(
        "A wrong command line says what would be right",
        arguments: [
            Wrong(words: ["package", "--ouptut", "x", "m"], says: "Did you mean \"--output\"?"),
            Wrong(words: ["package", "-level", "x"], says: "Did you mean \"--level\"?"),
            Wrong(words: ["package"], says: "<manifest> is missing"),
            Wrong(words: ["package", "m", "n"], says: "\"n\" is one argument too many"),
            Wrong(words: ["package", "m", "-o"], says: "-o needs a value"),
            Wrong(words: ["package", "m", "-o", "--force"], says: "--force follows"),
            Wrong(words: ["package", "m", "--force=1"], says: "takes no value"),
            Wrong(words: ["package", "m", "--compression", "lzfes"], says: "Did you mean \"lzfse\"?"),
            Wrong(words: ["help", "packge"], says: "Did you mean \"package\"?"),
            Wrong(words: ["run"], says: "<command> is missing"),
        ])
    func wrong(_ wrong: Wrong) throws {
        let failure = try #require(throws: ArgumentParser.Failure.self) { try parse(wrong.words) }
        #expect(failure.error.message.contains(wrong.says), "\(failure.error.message)")
    }

    @Test("An unknown command suggests the nearest")
    func unknownCommand() throws {
        var tool = Self.tool
        tool.defaultSubcommand = nil
        let parser = ArgumentParser(root: tool)
        let failure = try #require(throws: ArgumentParser.Failure.self) { try parser.parse(["pacakge"]) }
        #expect(failure.error.suggestion == "package")
    }

    private func run(_ words: [String]) async -> (ExitCode, String, String) {
        let (output, errors) = (BufferSink(), BufferSink())
        let context = CommandContext(environment: [:], standardOutput: output, standardError: errors)
        let code = await CommandRunner(root: Self.tool, version: "1.2").run(words, context: context)
        return (code, output.text, errors.text)
    }

    @Test("Running gives output and exit codes")
    func runs() async throws {
        #expect(await run(["m", "-o", "x"]) == (.success, "output=x\n", ""))
        #expect(await run(["--version"]) == (.success, "tool 1.2\n", ""))
        #expect(await run(["secret"]).0 == .interrupted)
        let (code, _, errors) = await run(["m", "--level", "12"])
        #expect(code == .usage)
        #expect(errors.contains("from 1 to 9"))
        #expect(errors.contains("tool package --help"))
        #expect(await run([]).0 == .usage)
    }

    @Test("Output that cannot be written is an error; a reader that went away is not")
    func lostOutput() async throws {
        let full = OwnedDescriptor(try FileDescriptor.open("/dev/full", .writeOnly))
        let (errors, pipe) = (BufferSink(), try Pipe())
        Signals.ignoreBrokenPipes()
        func run(_ output: FileDescriptor) async -> ExitCode {
            let context = CommandContext(
                environment: [:], standardOutput: DescriptorSink(output), standardError: errors)
            return await CommandRunner(root: Self.tool, version: "1.2").run(["help"], context: context)
        }
        #expect(await run(full.borrowed) == .noSpace)
        #expect(errors.text == "tool: The output could not be written: No space left on device.\n")
        pipe.closeReader()
        #expect(await run(pipe.writer) == .success)
    }

    @Test("Help tells all there is, and hides what is hidden")
    func help() async throws {
        let (code, text, _) = await run(["help"])
        #expect(code == .success)
        #expect(text.contains("package, pack  Make a pack"))
        #expect(!text.contains("secret"))
        let (_, page, _) = await run(["package", "--help"])
        #expect(page.hasPrefix("Usage: tool package [options] <manifest>"))
        for part in ["-o, --output <file>", "Default: 3.", "One of: lzfse, lzma, none.", "tool package M.json"] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(await run(["help", "package"]).1 == page)
    }

    @Test(
        "Near names are found, far ones are not",
        arguments: [
            ("instal", "install"), ("isntall", "install"), ("insatll", "install"), ("stat", "status"),
            ("lunch", "launch"),
            ("xyzzy", nil), ("", nil),
        ] as [(String, String?)])
    func spelling(_ word: String, _ expected: String?) {
        #expect(Spelling.closest(to: word, among: ["install", "launch", "status", "packs"]) == expected)
    }
}
