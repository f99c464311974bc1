// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@Suite("Updates of packs, shown and followed")
struct PackUpdateCommandTests {
    private static func pack(
        _ id: String, _ state: String, local: Int?, available: Int = 2, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "policy": "essential", "state": .string(state), "downloadSize": 9000, "downloaded": 0,
            "size": 20_000, "allocatedSize": 24_576, "availableVersion": .integer(Int64(available)),
        ]
        if let local { members["localVersion"] = .integer(Int64(local)) }
        return .object(members.merging(more) { $1 })
    }

    private static func event(_ change: String, completed: Int64 = 0, error: String? = nil) -> JSONValue {
        [
            "change": .string(change),
            "pack": ["id": "levels", "version": 2, "downloadSize": 9000, "policy": "essential"],
            "completed": .integer(completed), "total": 9000,
            "error": error.map { ["code": "store.network", "message": .string($0)] } ?? .null,
        ]
    }

    /// A hosted app that is as its channel has it, with packs that are otherwise once they have been followed.
    private static func follow(
        before: [JSONValue], events: [JSONValue] = [], after: [JSONValue], _ arguments: String...,
        expect: @Sendable (_ outcome: CommandOutcome, _ methods: [String]) throws -> Void
    ) async throws {
        let isFollowed = Locked(false)
        try await FakeService.with { method, _ in
            switch method {
            case "hostedInstall": return .events([])
            case "packs":
                return .result([
                    "packs": .array(isFollowed.withLock { $0 } ? after : before), "collisions": [], "collisionCount": 0,
                ])
            case "app.statusUpdates":
                isFollowed.withLock { $0 = true }
                return .events(events)
            default: return .result([:])
            }
        } _: { service, scratch in
            let outcome = await larder(["update", "a.b"] + arguments, home: scratch.path)
            try expect(outcome, service.requests.compactMap { $0["method"]?.stringValue })
        }
    }

    @Test("update waits for a pack that is under way, and says what it took")
    func waits() async throws {
        try await Self.follow(
            before: [Self.pack("levels", "downloading", local: 1), Self.pack("other", "local", local: 2)],
            events: [Self.event("downloading", completed: 3000), Self.event("finished", completed: 9000)],
            after: [
                Self.pack(
                    "levels", "local", local: 2,
                    [
                        "arrival": [
                            "moved": 1200, "requests": 2, "written": 1, "linked": 1, "copied": 0, "patched": 1,
                            "notes": [], "isWhole": false,
                        ]
                    ]), Self.pack("other", "local", local: 2),
            ]
        ) { outcome, methods in
            #expect(outcome.code == .success, "\(outcome)")
            #expect(outcome.output.hasPrefix("Updated packs of a.b in "), "\(outcome.output)")
            #expect(outcome.output.hasSuffix(": levels 1 -> 2 (1.2 kB).\n"), "\(outcome.output)")
            #expect(outcome.errors.contains("Updating levels of a.b"), "\(outcome.errors)")
            #expect(methods.contains("app.statusUpdates"))
        }
    }

    @Test("update with --until accepted says what goes on, and waits for nothing")
    func accepts() async throws {
        try await Self.follow(before: [Self.pack("levels", "queued", local: 1)], after: [], "--until", "accepted") {
            outcome, methods in
            #expect(outcome.code == .success)
            #expect(outcome.output == "Packs of a.b are being updated behind: levels.\n")
            #expect(!methods.contains("app.statusUpdates"))
        }
    }

    @Test("update does not wait for what something holds back, and says what")
    func isHeldBack() async throws {
        for state in ["queued", "downloading", "waiting"] {
            let held = Self.pack("levels", state, local: 1, ["waitsFor": "a network that costs nothing"])
            try await Self.follow(before: [held], after: []) { outcome, methods in
                #expect(outcome.code == .success)
                #expect(outcome.output == "a.b itself is up to date; not all of its packs are.\n")
                #expect(outcome.errors.contains("levels waits for a network that costs nothing.\n"))
                #expect(!methods.contains("app.statusUpdates"))
            }
        }
        try await Self.follow(before: [Self.pack("levels", "paused", local: 1)], after: []) { outcome, _ in
            #expect(outcome.errors.contains("levels waits for 'larder resume'.\n"), "\(outcome.errors)")
        }
        // Paused while it is followed.
        try await Self.follow(
            before: [Self.pack("levels", "downloading", local: 1)], events: [Self.event("paused")],
            after: [Self.pack("levels", "paused", local: 1)]
        ) { outcome, _ in
            #expect(outcome.code == .success)
            #expect(outcome.errors.contains("levels waits for 'larder resume'.\n"), "\(outcome.errors)")
        }
    }

    @Test("update fails when a pack does, while it is followed and before")
    func fails() async throws {
        try await Self.follow(
            before: [Self.pack("levels", "downloading", local: 1)],
            events: [Self.event("failed", error: "The download of the pack levels broke off.")], after: []
        ) { outcome, _ in
            #expect(outcome.code != .success, "\(outcome)")
            #expect(outcome.errors.contains("The download of the pack levels broke off."))
        }
        let failed = Self.pack(
            "levels", "failed", local: 1, ["error": "The server does not give the pack levels (404)."])
        try await Self.follow(before: [failed], after: []) { outcome, _ in
            #expect(outcome.code != .success)
            #expect(outcome.errors.contains("levels of a.b could not be updated. The server does not give"))
        }
    }

    @Test("update says so when there is nothing to do; packs that are fetched for the first time are none")
    func nothing() async throws {
        try await Self.follow(
            before: [Self.pack("levels", "local", local: 2), Self.pack("new", "downloading", local: nil)], after: []
        ) { outcome, methods in
            #expect(outcome.code == .success)
            #expect(outcome.output == "a.b is up to date.\n", "\(outcome)")
            #expect(!methods.contains("app.statusUpdates"))
        }
    }

    @Test("check tells of updates that were under way already")
    func check() async throws {
        try await FakeService.with { _, _ in
            .result([
                "apps": [
                    ["app": "a", "updating": [], "underWay": ["x", "y"], "removed": []],
                    ["app": "b", "updating": ["z"], "underWay": ["x"], "removed": ["w"]],
                    ["app": "c", "updating": [], "removed": []],
                ]
            ])
        } _: { _, scratch in
            let outcome = await larder("check", home: scratch.path)
            #expect(
                outcome.output == """
                    a: being updated already: x, y
                    b: updating z; being updated already: x; removed w
                    c: up to date

                    """, "\(outcome.output)")
        }
    }

    @Test("packs --updates shows what each would take")
    func showsUpdates() async throws {
        let packs: [JSONValue] = [
            [
                "id": "levels", "localVersion": 1, "availableVersion": 2, "method": "patch", "toMove": 1200,
                "toWrite": 5000, "downloadSize": 9000,
            ],
            [
                "id": "music", "localVersion": 1, "availableVersion": 3, "method": "whole", "toMove": 9000,
                "toWrite": 20_000, "downloadSize": 9000, "note": "the manifest lists no index",
            ],
            ["id": "maps", "localVersion": 4, "availableVersion": 4, "toMove": 0, "toWrite": 0, "downloadSize": 9000],
            ["id": "gone", "localVersion": 2, "toMove": 0, "toWrite": 0, "downloadSize": 0],
            [
                "id": "far", "localVersion": 1, "availableVersion": 2, "toMove": 0, "toWrite": 0,
                "downloadSize": 9000, "note": "its server cannot be reached",
            ],
        ]
        try await FakeService.with { method, _ in
            method == "packs.updates" ? .result(["packs": .array(packs)]) : .error(code: "x", message: method)
        } _: { service, scratch in
            let outcome = await larder("packs", "a.b", "--updates", home: scratch.path)
            #expect(outcome.code == .success, "\(outcome)")
            let rows = outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                rows == [
                    "PACK VERSION UPDATE TO MOVE OF TO WRITE", "levels 1 -> 2 patch 1.2 kB 9.0 kB 5.0 kB",
                    "music 1 -> 3 whole 9.0 kB 9.0 kB 20.0 kB", "maps 4 up to date - - -", "gone 2 removed - - -",
                    "far 1 -> 2 unknown - - -",
                ], "\(outcome.output)")
            #expect(outcome.errors.contains("music is fetched whole: the manifest lists no index.\n"))
            #expect(outcome.errors.contains("far: its server cannot be reached\n"), "\(outcome.errors)")
            #expect(service.requests.map { $0["params"] } == [["app": "a.b"]])
            let json = await larder("packs", "a.b", "--updates", "--json", home: scratch.path)
            let lines = try json.output.split(separator: "\n").map { try JSONParser.parse(String($0)).value }
            #expect(lines.map { $0["id"] } == ["levels", "music", "maps", "gone", "far"])
            #expect(lines[0]["toMove"] == 1200 && lines[1]["note"] == "the manifest lists no index")
        }
    }
}
