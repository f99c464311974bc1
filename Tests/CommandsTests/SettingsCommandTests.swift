// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import TestSupport
import Testing

@Suite("larder settings and larder close")
struct SettingsCommandTests {
    private static let settings: JSONValue = [
        "settings": [
            ["name": "meteredUse", "value": "on", "isSet": true],
            ["name": "backgroundRefresh", "value": "on", "isSet": false],
            ["name": "backgroundRefresh", "app": "a.b", "value": "off", "isSet": true],
        ]
    ]

    private static func answer(_ method: String, _ parameters: JSONValue) -> FakeService.Answer {
        .result(method == "close" ? [:] : settings)
    }

    @Test("Settings are listed, one by one looked at, set and reset")
    func settings() async throws {
        try await FakeService.with(Self.answer) { service, scratch in
            let list = await larder("settings", home: scratch.path)
            #expect(
                list.output == "meteredUse: on\nbackgroundRefresh: on (default)\nbackgroundRefresh (a.b): off\n")
            #expect(await larder("settings", "get", "meteredUse", home: scratch.path).output == "on\n")
            let ofApp = await larder("settings", "get", "backgroundRefresh", "--app", "a.b", home: scratch.path)
            #expect(ofApp.output == "off\n")
            let ofOther = await larder("settings", "get", "backgroundRefresh", "--app", "c.d", home: scratch.path)
            #expect(ofOther.output == "on\n", "as for all")
            #expect(await larder("settings", "get", "colour", home: scratch.path).code == .badInput)
            let set = await larder("settings", "set", "backgroundRefresh", "off", "--app", "a.b", home: scratch.path)
            #expect(set.output == "backgroundRefresh (a.b): off\n")
            _ = await larder("settings", "reset", "meteredUse", home: scratch.path)
            #expect(
                service.requests.suffix(2) == [
                    [
                        "method": "settings.set",
                        "params": ["name": "backgroundRefresh", "app": "a.b", "value": "off"],
                    ], ["method": "settings.set", "params": ["name": "meteredUse"]],
                ])
        }
    }

    @Test("close names the app")
    func close() async throws {
        try await FakeService.with(Self.answer) { service, scratch in
            #expect(await larder("close", "a.b", home: scratch.path).code == .success)
            #expect(service.requests == [["method": "close", "params": ["app": "a.b"]]])
        }
    }
}
