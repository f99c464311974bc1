// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@Suite("larder odr status")
struct ResourceStatusTests {
    private static func tag(_ name: String, _ state: String, downloaded: Int, of size: Int, onDisk: Int) -> JSONValue {
        [
            "tag": .string(name), "state": .string(state), "packs": ["p"], "downloaded": .integer(Int64(downloaded)),
            "downloadSize": .integer(Int64(size)), "allocatedSize": .integer(Int64(onDisk)),
            "preservationPriority": 0.25,
        ]
    }

    private static let tags: [JSONValue] = [
        tag("easy", "inUse", downloaded: 1000, of: 1000, onDisk: 4096),
        tag("hard", "downloading", downloaded: 500, of: 2000, onDisk: 0),
        tag("medium", "notDownloaded", downloaded: 0, of: 3000, onDisk: 0),
        tag("tones", "partiallyDownloaded", downloaded: 1000, of: 4000, onDisk: 8192),
    ]

    private static func app(_ id: String) -> JSONValue {
        [
            "app": .string(id), "displayName": "A", "version": "1", "state": "ready", "wasLaunched": true,
            "localPacks": 1, "size": 1, "allocatedSize": 1,
        ]
    }

    private func rows(_ output: String) -> [[String]] {
        output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test("Every tag has its state, a bar while it is between, and its sizes")
    func oneApp() async throws {
        try await FakeService.with({ _, _ in .result(["tags": .array(Self.tags)]) }) { service, scratch in
            let status = await larder("odr", "status", "a.b", home: scratch.path)
            #expect(status.code == .success, "\(status)")
            let rows = rows(status.output)
            #expect(rows.first == ["TAG", "STATE", "DOWNLOAD", "ON", "DISK", "KEPT"])
            #expect(
                rows.dropFirst().map { $0.prefix(2).joined(separator: " ") } == [
                    "easy in", "hard downloading", "medium not", "tones partially",
                ])
            #expect(status.output.contains("[=====               ] 25%"))
            #expect(status.output.split(separator: "\n").filter { $0.contains("[") }.count == 2)
            #expect(rows[1].suffix(5) == ["1.0", "kB", "4.1", "kB", "0.25"])
            #expect(rows[3].suffix(4) == ["3.0", "kB", "-", "0.25"])
            #expect(service.requests == [["method": "resources.tags", "params": ["app": "a.b"]]])

            let lines = await larder("odr", "status", "a.b", "--json", home: scratch.path)
            let value = try JSONParser.parse(lines.output).value
            #expect(value["app"] == "a.b" && value["tags"]?.arrayValue == Self.tags)
        }
    }

    @Test("Without an app, those with tags are shown")
    func allApps() async throws {
        try await FakeService.with({ method, parameters in
            guard method == "resources.tags" else {
                return .result(["apps": .array(["a.b", "c.d"].map(Self.app))])
            }
            guard parameters["app"] == "a.b" else {
                return .error(code: "resource.none", message: "c.d has no on-demand resources.")
            }
            return .result(["tags": .array(Self.tags)])
        }) { _, scratch in
            let status = await larder("odr", "status", home: scratch.path)
            #expect(status.code == .success && rows(status.output).count == 5, "\(status)")
            let other = await larder("odr", "status", "c.d", home: scratch.path)
            #expect(other.code != .success && other.errors.contains("c.d has no on-demand resources."), "\(other)")
        }
    }

    @Test("--watch shows it again when something has changed, and only then")
    func watching() async throws {
        let turns = Locked(0)
        try await FakeService.with({ method, _ in
            // Not each change is one of what is shown.
            if method == "resources.changes" { return .events(Array(repeating: [:], count: 4)) }
            let turn = turns.withLock { turns in
                turns += 1
                return turns
            }
            switch turn {
            case 1, 2: return .result(["tags": [Self.tags[1]]])
            default: return .result(["tags": [Self.tags[0]]])
            }
        }) { service, scratch in
            let status = await larder("odr", "status", "a.b", "--watch", "--json", home: scratch.path)
            #expect(status.code != .success)
            // The last line says that the service is gone.
            let lines = try status.output.split(separator: "\n").map { try JSONParser.parse(String($0)).value }
            let states = lines.dropLast().map { $0["tags"]?.arrayValue?.first?["state"] }
            #expect(states == ["downloading", "inUse"], "\(status)")
            #expect(service.requests.first == ["method": "resources.changes", "params": ["app": "a.b"]])
            #expect(service.requests.count == 5, "it looks when it is told to")
        }
    }
}
