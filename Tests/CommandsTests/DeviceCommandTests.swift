// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import Commands

@Suite("Device commands")
struct DeviceCommandTests {
    static func event(
        _ phase: String, completed: Int64 = 0, total: Int64 = 0, notes: [JSONValue] = [],
        warnings: [JSONValue] = [], error: JSONValue = nil,
        packs: [JSONValue] = [
            ["id": "later", "version": 1, "policy": "prefetch", "state": "queued", "completed": 0, "total": 10]
        ]
    ) -> JSONValue {
        [
            "app": "a.b", "displayName": "The App", "phase": .string(phase), "completed": .integer(completed),
            "total": .integer(total), "bytesPerSecond": 0, "notes": .array(notes), "warnings": .array(warnings),
            "error": error,
            "packs": .array(packs),
        ]
    }

    @Test("install shows phases, notes and a summary, and asks for the bundle by its absolute path")
    func installs() async throws {
        let events = [
            Self.event("checking"), Self.event("downloading", completed: 5_000_000, total: 20_000_000),
            Self.event("downloading", completed: 9_000_000, total: 20_000_000, notes: ["Later waits."]),
            Self.event("launchable", completed: 20_000_000, total: 20_000_000, warnings: ["The extension crashed."]),
        ]
        try await FakeService.with { _, _ in
            .events(events)
        } _: { service, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", bundle.string, home: scratch.path)
            #expect(outcome.code == .success)
            #expect(outcome.output.hasPrefix("Installed The App (a.b): 20.0 MB in "))
            #expect(outcome.output.contains("Still coming behind: later."))
            #expect(outcome.errors.contains("Checking The App\n"))
            #expect(outcome.errors.contains("note: Later waits.\n"))
            #expect(outcome.errors.hasSuffix("warning: The extension crashed.\n"))
            #expect(outcome.errors.contains("45%"))
            #expect(
                service.requests == [
                    ["method": "install", "params": ["path": .string(bundle.string), "until": "launchable"]]
                ])
        }
    }

    @Test("install ends with a code of its own when an essential pack failed for good, and says which and why")
    func installsWithoutAnEssentialPack() async throws {
        let last = Self.event(
            "launchable", completed: 20, total: 20,
            packs: [
                [
                    "id": "tutorial", "version": 1, "policy": "essential", "state": "queued", "completed": 0,
                    "total": 10,
                    "essentialError": [
                        "code": "store.server", "message": "The server does not give the pack tutorial (404).",
                    ],
                ],
                ["id": "later", "version": 1, "policy": "prefetch", "state": "queued", "completed": 0, "total": 10],
            ])
        let events = [Self.event("downloading"), last]
        try await FakeService.with { _, _ in
            .events(events)
        } _: { _, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", bundle.string, home: scratch.path)
            #expect(outcome.code == .incomplete)
            #expect(outcome.output.contains("Installed The App (a.b)"))
            #expect(outcome.output.contains("Still coming behind: later.\n"))
            #expect(outcome.errors.contains("an essential pack is missing. tutorial: The server does not give"))
            #expect(outcome.errors.contains("'larder packs a.b'"))
            let json = await larder("install", "--json", bundle.string, home: scratch.path)
            #expect(json.code == .incomplete)
            let lines = try json.output.split(separator: "\n").map { try JSONParser.parse(String($0)).value }
            #expect(lines.dropLast().last?["packs"]?.arrayValue?.first?["essentialError"]?["code"] == "store.server")
            #expect(lines.last?["error"]?["code"] == "install.incomplete")
        }
    }

    @Test("an essential pack that came in the end is not missing")
    func installsWithAnEssentialPackThatCameLater() async throws {
        let last = Self.event(
            "complete", completed: 20, total: 20,
            packs: [
                [
                    "id": "tutorial", "version": 1, "policy": "essential", "state": "local", "completed": 10,
                    "total": 10,
                    "essentialError": ["code": "store.server", "message": "404"],
                ]
            ])
        let events = [last]
        try await FakeService.with { _, _ in
            .events(events)
        } _: { _, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", "--until", "complete", bundle.string, home: scratch.path)
            #expect(outcome.code == .success)
        }
    }

    @Test("install goes on with the same install when the service dies, and says so")
    func installsOverADeath() async throws {
        try await FakeService.with { method, _ in
            method == "install"
                ? .eventsAndDeath([Self.event("downloading", completed: 5, total: 20)])
                : .events([Self.event("launchable", completed: 20, total: 20, packs: [])])
        } _: { service, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", bundle.string, home: scratch.path)
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("Installed The App (a.b): 20 bytes in "), "\(outcome.output)")
            #expect(outcome.errors.contains("The device service went away and was started again"))
            #expect(service.requests.map { $0["method"] } == ["install", "watchInstall"])
            #expect(service.requests.last?["params"] == ["app": "a.b", "until": "launchable"])
        }
    }

    @Test("install asks again when the service dies before it took the request, or after the install's end")
    func installsOverADeathAtTheEdges() async throws {
        let installs = Locked(0)
        try await FakeService.with { method, _ in
            guard method == "install" else { return .events([]) }
            let count = installs.withLock { count in
                count += 1
                return count
            }
            switch count {
            case 1: return .eventsAndDeath([])
            case 2: return .eventsAndDeath([Self.event("finishing")])
            default: return .events([Self.event("complete", packs: [])])
            }
        } _: { service, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", bundle.string, home: scratch.path)
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(service.requests.map { $0["method"] } == ["install", "install", "watchInstall", "install"])
        }
    }

    @Test("install gives up on a service that dies again and again")
    func installsOverNoEndOfDeaths() async throws {
        try await FakeService.with { _, _ in
            .eventsAndDeath([Self.event("downloading")])
        } _: { service, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", bundle.string, home: scratch.path)
            #expect(outcome.code == .serviceUnavailable)
            #expect(service.requests.count == 9)
        }
    }

    @Test("install --json writes one object per line and nothing else")
    func installsAsJSON() async throws {
        let events = [Self.event("checking"), Self.event("complete", completed: 1, total: 1)]
        try await FakeService.with { _, _ in
            .events(events)
        } _: { _, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let outcome = await larder("install", "--json", "--until", "complete", bundle.string, home: scratch.path)
            let lines = outcome.output.split(separator: "\n")
            #expect(try lines.map { try JSONParser.parse(String($0)).value["phase"] } == ["checking", "complete"])
            #expect(outcome.errors.isEmpty)
        }
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let code: String
        let exit: ExitCode
        var testDescription: String { code }
    }

    @Test(
        "What the service says went wrong is the message, and its name the exit code",
        arguments: [
            Failure(code: "store.noSpace", exit: .noSpace), Failure(code: "app.badBundle", exit: .badInput),
            Failure(code: "http.untrusted-certificate", exit: .refused), Failure(code: "http.stalled", exit: .network),
            Failure(code: "archive.truncated", exit: .badInput), Failure(code: "app.notFound", exit: .notFound),
            Failure(code: "restriction.exceeded", exit: .refused), Failure(code: "brand.new", exit: .failure),
            Failure(code: "manifest.unavailable", exit: .network), Failure(code: "store.network", exit: .network),
            Failure(code: "app.badPropertyList", exit: .badInput),
        ])
    func failures(_ failure: Failure) async throws {
        let event = Self.event("failed", error: ["code": .string(failure.code), "message": "Too bad: 12 of 10."])
        try await FakeService.with { method, _ in
            method == "install" ? .events([event]) : .error(code: failure.code, message: "Too bad: 12 of 10.")
        } _: { _, scratch in
            let bundle = try scratch.makeDirectory("My.app")
            let installed = await larder("install", bundle.string, home: scratch.path)
            #expect(installed.code == failure.exit)
            #expect(installed.errors.hasSuffix("larder: Too bad: 12 of 10.\n"))
            let removed = await larder("uninstall", "a.b", "--json", home: scratch.path)
            #expect(removed.code == failure.exit)
            let json = try JSONParser.parse(removed.output).value
            #expect(json["error"]?["code"] == .string(failure.code))
        }
    }

    @Test("A bundle that is not there is said before the service is asked")
    func missingBundle() async throws {
        try await FakeService.with { _, _ in
            .events([])
        } _: { service, scratch in
            let outcome = await larder("install", "/nowhere/My.app", home: scratch.path)
            #expect(outcome.code == .notFound)
            #expect(outcome.errors.contains("/nowhere/My.app"))
            #expect(service.requests.isEmpty)
        }
    }

    @Test("launch --print waits for what is going on and prints what would run")
    func launchPrints() async throws {
        try await FakeService.with { method, _ in
            method == "watchInstall"
                ? .events([Self.event("downloading", completed: 1, total: 2), Self.event("launchable")])
                : .result(["executable": "/x/App", "environment": ["LARDER_BUNDLE_ID": "a.b"], "isFirstLaunch": true])
        } _: { service, scratch in
            let outcome = await larder("launch", "--print", "a.b", home: scratch.path)
            #expect(outcome.output == "LARDER_BUNDLE_ID=a.b\n/x/App\n")
            #expect(outcome.errors.contains("Downloading The App"))
            #expect(service.requests.map { $0["method"] } == ["watchInstall", "launch"])
            #expect(service.requests.last?["params"] == ["app": "a.b", "isDryRun": true])
            let json = await larder("launch", "--json", "a.b", home: scratch.path)
            let reply = try JSONParser.parse(json.output).value
            #expect(reply["isFirstLaunch"] == true)
            #expect(service.requests.last?["params"] == ["app": "a.b", "isDryRun": true])
        }
    }

    /// What `storage` prints for an answer of the service, with one space between columns.
    private func storageLines(_ reply: JSONValue) async throws -> [String] {
        var lines: [String] = []
        try await FakeService.with { _, _ in
            .result(reply)
        } _: { _, scratch in
            let outcome = await larder("storage", home: scratch.path)
            lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        }
        return lines
    }

    @Test("storage adds up what an app takes")
    func storage() async throws {
        let pack: JSONValue = [
            "id": "music", "policy": "onDemand", "state": "local", "localVersion": 3, "downloadSize": 1000,
            "downloaded": 1000, "size": 2000, "allocatedSize": 4000,
        ]
        let reply: JSONValue = [
            "apps": [["app": "a.b", "displayName": "A", "baseSize": 500, "baseAllocatedSize": 1000, "packs": [pack]]],
            "staging": 0, "bookkeeping": 7, "free": 1_000_000, "stateFolder": "/s",
        ]
        let lines = try await storageLines(reply)
        #expect(lines.contains("a.b 2.5 kB 5.0 kB"), "\(lines)")
        #expect(lines.contains("the app itself 500 bytes 1.0 kB"))
        #expect(lines.contains("music version 3 2.0 kB 4.0 kB"))
        #expect(lines.contains("total 5.0 kB"))
    }

    @Test("storage counts once what several have")
    func sharedStorage() async throws {
        let pack: JSONValue = [
            "id": "music", "policy": "onDemand", "state": "local", "localVersion": 3, "downloadSize": 1000,
            "downloaded": 1000, "size": 2000, "allocatedSize": 4000, "uniqueSize": 1000,
        ]
        let app: JSONValue = [
            "app": "a.b", "displayName": "A", "baseSize": 500, "baseAllocatedSize": 5000, "baseUniqueSize": 2000,
            "allocatedSize": 6000, "uniqueSize": 6000, "packs": [pack], "former": ["size": 10, "allocatedSize": 20],
        ]
        let reply: JSONValue = [
            "apps": [app], "staging": 0, "bookkeeping": 7, "free": 1_000_000, "stateFolder": "/s", "total": 6007,
        ]
        let lines = try await storageLines(reply)
        #expect(lines.contains("a.b 2.5 kB 6.0 kB 6.0 kB"), "\(lines)")
        #expect(lines.contains("the app itself 500 bytes 5.0 kB 2.0 kB"))
        #expect(lines.contains("music version 3 2.0 kB 4.0 kB 1.0 kB"))
        #expect(lines.contains("versions that are still read 10 bytes 20 bytes"))
        #expect(lines.contains("total 6.0 kB"))
    }

    @Test("Tables and JSON tell the same")
    func lists() async throws {
        let pack: JSONValue = [
            "id": "music", "policy": "onDemand", "state": "downloading", "availableVersion": 3, "downloadSize": 1000,
            "downloaded": 250, "size": 0, "allocatedSize": 0,
        ]
        try await FakeService.with { _, _ in
            .result([
                "packs": [pack], "collisions": [["path": "x.txt", "winner": "a", "losers": ["b"]]], "collisionCount": 1,
            ])
        } _: { _, scratch in
            let table = await larder("packs", "a.b", home: scratch.path)
            #expect(table.output.contains("music  onDemand  downloading 25%   - -> 3    1.0 kB        -"))
            #expect(table.errors.contains("x.txt: a, b"))
            let json = await larder("packs", "a.b", "--json", home: scratch.path)
            let value = try JSONParser.parse(json.output).value
            #expect(value["downloaded"] == 250)
        }
    }

    @Test("trust sends the certificate, and refuses private keys and what is none")
    func trust() async throws {
        try await FakeService.with { _, _ in
            .result([:])
        } _: { service, scratch in
            let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
            let good = try scratch.write(pem, to: "studio.pem")
            let outcome = await larder("trust", good.string, home: scratch.path)
            #expect(outcome == CommandOutcome(code: .success, output: "Trusted as studio.\n", errors: ""))
            #expect(service.requests == [["method": "trust.add", "params": ["name": "studio", "pem": .string(pem)]]])
            let key = try scratch.write(pem + "-----BEGIN PRIVATE KEY-----\n", to: "key.pem")
            #expect(await larder("trust", "add", key.string, home: scratch.path).code == .badInput)
            let other = try scratch.write("hello", to: "other.pem")
            #expect(await larder("trust", other.string, home: scratch.path).code == .badInput)
            #expect(await larder("trust", "/nowhere.pem", home: scratch.path).code == .notFound)
            let early = await larder("trust", home: scratch.path)
            #expect(early.code == .notFound)
            #expect(early.errors.contains("ba-serve"))
            #expect(service.requests.count == 1)
            try scratch.write(pem, to: "config/authority/authority.pem")
            #expect(await larder("trust", home: scratch.path).output == "Trusted as authority.\n")
        }
    }

    @Test("url-override sets, clears and shows")
    func urlOverride() async throws {
        try await FakeService.with { method, _ in
            method == "urlOverride.get" ? .result(["url": "https://localhost:8443"]) : .result([:])
        } _: { service, scratch in
            let set = await larder("url-override", "https://localhost:8443", home: scratch.path)
            #expect(set.output == "Manifests are fetched from https://localhost:8443.\n")
            _ = await larder("url-override", "--clear", home: scratch.path)
            let both = await larder("url-override", "--clear", "https://x", home: scratch.path)
            #expect(both.code == .usage)
            let methods = service.requests.map { $0["method"]?.stringValue }
            #expect(methods == ["urlOverride.set", "urlOverride.get", "urlOverride.clear", "urlOverride.get"])
        }
    }

    @Test("check reports each app, and the first failure as exit code")
    func check() async throws {
        try await FakeService.with { _, _ in
            .result([
                "apps": [
                    ["app": "a", "updating": ["x"], "removed": []], ["app": "b", "updating": [], "removed": []],
                    ["app": "c", "updating": [], "removed": [], "error": ["code": "http.connect", "message": "No."]],
                ]
            ])
        } _: { _, scratch in
            let outcome = await larder("check", home: scratch.path)
            #expect(outcome.output == "a: updating x\nb: up to date\n")
            #expect(outcome.errors == "c: No.\n")
            #expect(outcome.code == .network)
        }
    }

    @Test("A service that goes away is told, not waited for")
    func disconnect() async throws {
        try await Scratch.with { scratch in
            let paths = try LarderPaths(environment: ["LARDER_HOME": scratch.path.string])
            try paths.prepareRuntime()
            let listener = try UnixListener(path: paths.socket)
            scratch.addCleanup { listener.close() }
            try WorkerThread.start(name: "rude") { while (try? listener.accept()) != nil {} }
            let outcome = await larder("apps", home: scratch.path)
            #expect(outcome.code == .serviceUnavailable)
        }
    }

    @Test("doctor on a bundle needs no service")
    func doctor() async throws {
        try await Scratch.with { scratch in
            let bundle = try scratch.makeDirectory("My.app")
            try scratch.write("<plist version=\"1.0\"><dict></dict></plist>", to: "My.app/Info.plist")
            let outcome = await larder("doctor", bundle.string, home: scratch.path)
            #expect(outcome.code == .badInput)
            #expect(outcome.output.contains("error: CFBundleIdentifier"))
            #expect(!FileDescriptor.currentDirectory.exists(at: scratch("run")))
        }
    }

    /// What was only warned of is not kept quiet at the end.
    @Test func theDoctorSumsUp() {
        func summary(_ severities: String...) -> String {
            DeviceCommands.summary(
                of: severities.map { DoctorFinding(severity: $0, subject: "Game", message: "It is so.") })
        }
        #expect(summary() == "Nothing is wrong.")
        #expect(summary("ok", "ok") == "Nothing is wrong.")
        #expect(summary("ok", "warning") == "Nothing is broken; 1 thing is worth a look.")
        #expect(summary("warning", "warning") == "Nothing is broken; 2 things are worth a look.")
        #expect(summary("error", "warning", "ok") == "1 thing is wrong.")
    }
}
