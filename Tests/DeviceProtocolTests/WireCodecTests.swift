// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import DeviceProtocol

struct WireCodecTests {
    @Test func requestsCarryTheirMethodAndParameters() throws {
        let bytes = try WireCodec.request(7, PauseRequest(app: "org.example.game", pack: "Tutorial"))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"id":7,"method":"pause","params":{"app":"org.example.game","pack":"Tutorial"}}"#)
        let header = try WireCodec.header(bytes)
        #expect(header.id == 7)
        #expect(header.method == "pause")
        #expect(try WireCodec.parameters(PauseRequest.self, bytes).pack == "Tutorial")
    }

    @Test func errorsOfANewerServiceAreKept() throws {
        let bytes = Array(#"{"id":1,"error":{"code":"future.trouble","colour":"red"}}"#.utf8)
        let error = try #require(try WireCodec.header(bytes).error)
        #expect(error.code.rawValue == "future.trouble")
        #expect(error.message == "future.trouble")
    }

    @Test func unknownStatesAndPhasesAreKept() throws {
        let event = InstallEvent(app: "a", displayName: "A", phase: .init(rawValue: "polishing"))
        let bytes = try WireCodec.event(3, event)
        #expect(try WireCodec.event(InstallEvent.self, bytes) == event)
        #expect(!event.phase.isFinal)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{\"id\":\"x\"}", "{\"id\":1e400}", "{\"id\":9223372036854775808}",
        "{\"id\":1,\"error\":5}", String(repeating: "[", count: 100_000),
    ])
    func badMessagesAreErrors(_ text: String) {
        #expect(throws: DeviceError.self) { try WireCodec.header(Array(text.utf8)) }
    }

    @Test func missingParametersAreNamed() throws {
        let bytes = Array(#"{"id":1,"method":"uninstall","params":{}}"#.utf8)
        let error = #expect(throws: DeviceError.self) { try WireCodec.parameters(UninstallRequest.self, bytes) }
        #expect(error?.code == .badMessage)
        #expect(error?.message.contains("\"app\"") == true)
    }

    /// Mutations of real messages: decoding answers or throws, and never traps.
    @Test func mutatedMessagesNeverTrap() throws {
        var random = SeededGenerator.forTest()
        let originals = [
            try WireCodec.request(7, EnsureLocalAvailabilityRequest(app: "a.b", packs: ["x", "y"])),
            try WireCodec.event(
                2,
                DownloadEvent(
                    .downloading, pack: PackDescription(id: "x", version: 1, downloadSize: 5, policy: .prefetch))),
            try WireCodec.failure(1, DeviceError(.failed, "no", details: ["a": "b"])),
        ]
        for round in 0..<3000 {
            var bytes = originals[round % originals.count]
            for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            _ = try? WireCodec.header(bytes)
            _ = try? WireCodec.parameters(EnsureLocalAvailabilityRequest.self, bytes)
            _ = try? WireCodec.event(DownloadEvent.self, bytes)
        }
    }
}
