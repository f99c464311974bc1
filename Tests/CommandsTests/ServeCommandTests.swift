// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Commands
import Kit
import System
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServeCommandTests {
    /// Text that a test may wait for.
    private final class WaitingSink: TextSink {
        private let text = Monitor("")

        func write(_ more: String) { text.withLock { $0 += more } }

        func wait(for part: String) async throws -> String {
            try await onOwnThread { self.text.wait { $0.contains(part) ? $0 : nil } }
        }
    }

    private final class Place: Sendable {
        let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory()
            let here = FileDescriptor.currentDirectory
            for id in ["Coast", "Tutorial"] {
                try AtomicFile.write(
                    Array("content of \(id)".utf8), to: folder.path.appending("\(id).txt"), durable: false)
                let manifest = folder.path.appending("\(id).json")
                try AtomicFile.write(
                    #"{"assetPackID": "\#(id)", "downloadPolicy": {"onDemand": {}}, "fileSelectors": [{"file": "\#(id).txt"}], "platforms": []}"#
                        .utf8, to: manifest, durable: false)
                _ = try Packager(PackEvaluation(PackManifest(contentsOf: manifest), sourceDirectory: folder.path))
                    .package(to: folder.path.appending("\(id).aar"))
            }
            try here.makeDirectory(at: folder.path.appending("empty"))
        }

        func context(_ output: any TextSink, _ errors: any TextSink) -> CommandContext {
            CommandContext(
                programName: "ba-serve", environment: ["LARDER_HOME": folder.path.appending("home").string],
                workingDirectory: folder.path, standardOutput: output, standardError: errors)
        }
    }

    private let runner = CommandRunner(root: ServeCommands.tree, version: "test")

    @Test func aFaultForAPackThatIsNotServedIsTold() async throws {
        let place = try Place()
        let (output, errors) = (BufferSink(), WaitingSink())
        let context = place.context(output, errors)
        let runner = runner
        let task = Task {
            await runner.run(
                [
                    "--port", "0", "--fault", "asset=Tutorial:404", "--fault", "asset=Coats:404", "Coast.aar",
                    "Tutorial.aar",
                ],
                context: context)
        }
        let note = try await errors.wait(for: "\n")
        #expect(
            note.hasPrefix(
                "note: a --fault is for the pack \"Coats\", which is not served here. Did you mean \"Coast\"?"))
        task.cancel()
        #expect(await task.value == .success)
    }

    @Test func servesUntilItIsCancelled() async throws {
        let place = try Place()
        let output = WaitingSink()
        let context = place.context(output, BufferSink())
        let runner = runner
        let task = Task {
            await runner.run(
                ["--port", "0", "--json", "--asset-pack-versions", "3", "4", "Coast.aar", "Tutorial.aar"],
                context: context)
        }
        let line = try await output.wait(for: "\n")
        let event = try JSONParser.parse(line).value
        #expect(event["event"]?.stringValue == "listening")
        #expect((event["port"]?.integerValue ?? 0) > 0)
        #expect(event["url"]?.stringValue == "https://localhost:\(event["port"]?.integerValue ?? 0)")
        #expect(event["packs"]?.arrayValue?.map { $0["version"]?.integerValue } == [3, 4])
        let authority = try #require(event["authority"]?.stringValue)
        #expect(
            String(decoding: try File.read(FilePath(authority)), as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----")
        )
        task.cancel()
        #expect(await task.value == .success)
    }

    @Test func servesAFolderAndSaysHowToGoOn() async throws {
        let place = try Place()
        let output = WaitingSink()
        let context = place.context(output, BufferSink())
        let runner = runner
        let task = Task { await runner.run(["--port", "0", "."], context: context) }
        let text = try await output.wait(for: "url-override")
        #expect(text.hasPrefix("Serving 2 packs at https://localhost:"))
        #expect(text.contains("\(place.folder.path)/home/config/authority/authority.pem"))
        task.cancel()
        #expect(await task.value == .success)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let words: [String]
        let code: ExitCode
        let part: String
        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Refusal(words: ["serve"], code: .usage, part: "nothing to serve"),
        Refusal(words: ["empty"], code: .usage, part: "no .aar file"),
        Refusal(words: ["none.aar"], code: .notFound, part: "none.aar"),
        Refusal(words: ["Coast.txt"], code: .badInput, part: "Coast.txt"),
        Refusal(words: ["Coast.aar", "Coast.aar"], code: .usage, part: "Give each pack once"),
        Refusal(words: ["Coast.aar", "--certificate", "c.pem"], code: .usage, part: "go together"),
        Refusal(words: ["Coast.aar", "--port", "70000"], code: .usage, part: "--port"),
        Refusal(words: ["Coast.aar", "--host", "a b"], code: .failure, part: "no host name"),
        Refusal(words: ["Coast.aar", "--fault", "stal"], code: .usage, part: "Did you mean \"stall\"?"),
        Refusal(
            words: ["Coast.aar", "--asset-pack-versions", "1", "2"], code: .usage, part: "1 archives but 2 versions"),
        Refusal(words: ["Coast.aar", "--asset-pack-versions", "x"], code: .usage, part: "whole numbers"),
    ]) func refusesWhatMakesNoSense(refusal: Refusal) async throws {
        let place = try Place()
        let errors = BufferSink()
        let code = await runner.run(refusal.words, context: place.context(BufferSink(), errors))
        #expect(code == refusal.code)
        #expect(errors.text.contains(refusal.part), "\(errors.text)")
    }
}
