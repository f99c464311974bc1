// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

extension DeviceCommandTests {
    @Test("A manifest's server that is not trusted ends with the code for trust, not with that for the network")
    func untrusted() async throws {
        let error: JSONValue = [
            "code": "manifest.unavailable", "message": "Not trusted.",
            "details": ["cause": "http.untrusted-certificate"],
        ]
        try await FakeService.with { _, _ in
            .events([Self.event("failed", error: error)])
        } _: { _, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            #expect(await larder("install", bundle.string, home: scratch.path).code == .refused)
        }
    }

    @Test("What went wrong with a pack is told once while the install goes on")
    func tellsOnce() async throws {
        let pack: JSONValue = [
            "id": "first", "version": 1, "policy": "essential", "state": "failed", "completed": 0, "total": 10,
            "error": ["code": "store.server", "message": "404 for first."],
        ]
        let events = [
            Self.event("downloading", notes: ["404 for first."], packs: [pack]), Self.event("complete", packs: [pack]),
        ]
        try await FakeService.with { _, _ in
            .events(events)
        } _: { _, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", bundle.string, home: scratch.path)
            #expect(outcome.errors.split(separator: "404 for first.", omittingEmptySubsequences: false).count == 2)
        }
    }

    @Test(
        "Steering says what it did, and of nothing that it is nothing",
        arguments: [("pause", "Paused"), ("resume", "Going on with"), ("cancel", "Cancelled")])
    func steers(_ command: String, _ verb: String) async throws {
        try await FakeService.with { _, parameters in
            .result(["count": parameters["pack"] == "idle" || parameters["app"] == "c.d" ? 0 : 2])
        } _: { _, scratch in
            for (words, expected) in [
                (["a.b"], "\(verb) a.b.\n"), (["a.b", "music"], "\(verb) music of a.b.\n"),
                (["c.d"], "Nothing of c.d is being downloaded.\n"),
                (["a.b", "idle"], "Nothing of idle of a.b is being downloaded.\n"),
            ] {
                let outcome = await larder([command] + words, home: scratch.path)
                #expect(outcome.code == .success)
                #expect(outcome.output == expected)
            }
            let json = await larder(command, "--json", "c.d", home: scratch.path)
            let reply = try JSONParser.parse(json.output).value
            #expect(reply["count"] == 0)
        }
    }

    @Test("watch says of a name that no app has that it is none")
    func watchesNothing() async throws {
        try await FakeService.with { method, _ in
            method == "watchInstall" ? .events([]) : .error(code: "app.notFound", message: "No such app.")
        } _: { service, scratch in
            let outcome = await larder("watch", "a.c", home: scratch.path)
            #expect(outcome == CommandOutcome(code: .notFound, output: "", errors: "larder: No such app.\n"))
        }
    }
}
