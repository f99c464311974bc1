// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import DeviceProtocol

struct DeviceConnectionTests {
    private func connect(
        _ answer: @escaping @Sendable (WireHeader, [UInt8]) -> [[UInt8]]
    ) async throws -> (DeviceConnection, ScriptedService) {
        let (client, end) = MemoryChannel.pair()
        let service = try ScriptedService(end) { header, bytes in
            if header.method == "hello" { return [ScriptedService.hello(header.id ?? 0)] }
            return answer(header, bytes)
        }
        let connection = try await DeviceConnection(channel: client, client: "test", version: "1")
        #expect(try await service.next()?.method == "hello")
        return (connection, service)
    }

    @Test func repliesFindTheirRequestsInAnyOrder() async throws {
        let (connection, service) = try await connect { _, _ in [] }
        async let first = connection.send(TrustListRequest())
        let firstID = try #require(try await service.next()?.id)
        async let second = connection.send(TrustListRequest())
        let secondID = try #require(try await service.next()?.id)
        try service.send(WireCodec.result(secondID, TrustListRequest.Reply(names: ["second"])))
        try service.send(WireCodec.result(firstID, TrustListRequest.Reply(names: ["first"])))
        #expect(try await first.names == ["first"])
        #expect(try await second.names == ["second"])
    }

    @Test func errorsComeAsDeviceErrors() async throws {
        let (connection, _) = try await connect { header, _ in
            [(try? WireCodec.failure(header.id ?? 0, DeviceError(.appNotFound, "No app."))) ?? []]
        }
        let error = await #expect(throws: DeviceError.self) {
            try await connection.send(UninstallRequest(app: "org.example.none"))
        }
        #expect(error?.code == .appNotFound)
    }

    @Test func streamsGiveEventsAndEnd() async throws {
        let (connection, _) = try await connect { header, _ in
            let id = header.id ?? 0
            let events = ["checking", "launchable"].map {
                InstallEvent(app: "a", displayName: "A", phase: .init(rawValue: $0))
            }
            return events.compactMap { try? WireCodec.event(id, $0) } + [(try? WireCodec.end(id)) ?? []]
        }
        var phases: [String] = []
        for try await event in connection.stream(WatchInstallRequest(app: "a")) { phases.append(event.phase.rawValue) }
        #expect(phases == ["checking", "launchable"])
    }

    @Test func aStreamTheServiceDoesNotKnowFails() async throws {
        let (connection, _) = try await connect { header, _ in
            [(try? WireCodec.failure(header.id ?? 0, DeviceError(.unknownMethod, "What?"))) ?? []]
        }
        await #expect(throws: DeviceError.self) {
            for try await _ in connection.stream(StatusUpdatesRequest(app: "a")) {}
        }
    }

    @Test func aVanishedServiceFailsWhatIsInFlight() async throws {
        let (connection, service) = try await connect { _, _ in [] }
        let request = Task { try await connection.send(AppsRequest()) }
        _ = try await service.next()
        service.close()
        let error = await #expect(throws: DeviceError.self) { try await request.value }
        #expect(error?.code == .disconnected)
        await #expect(throws: DeviceError.self) { try await connection.send(AppsRequest()) }
    }

    @Test func cancellingATaskTellsTheService() async throws {
        let (connection, service) = try await connect { _, _ in [] }
        let request = Task {
            try await connection.send(EnsureLocalAvailabilityRequest(app: "a", packs: ["x"]))
        }
        let id = try await service.next()?.id
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(try await service.next()?.cancel == id)
    }

    @Test func leavingAStreamTellsTheService() async throws {
        let (connection, service) = try await connect { header, _ in
            guard header.method == StatusUpdatesRequest.method else { return [] }
            let pack = PackDescription(id: "x", version: 1, downloadSize: 5, policy: .prefetch)
            return [(try? WireCodec.event(header.id ?? 0, DownloadEvent(.began, pack: pack))) ?? []]
        }
        for try await _ in connection.stream(StatusUpdatesRequest(app: "a")) { break }
        let id = try await service.next()?.id
        #expect(try await service.next()?.cancel == id)
    }

    @Test func lettingGoClosesTheConnection() async throws {
        var connection: DeviceConnection?
        let service: ScriptedService
        (connection, service) = try await connect { _, _ in [] }
        #expect(connection?.isConnected == true)
        connection = nil
        #expect(try await service.next() == nil)
    }

    @Test func anIncompatibleServiceIsRefusedByName() async throws {
        let (client, end) = MemoryChannel.pair()
        let service = try ScriptedService(end) { header, _ in
            [(try? WireCodec.failure(header.id ?? 0, DeviceError(.incompatible, "Too new."))) ?? []]
        }
        let error = await #expect(throws: DeviceError.self) {
            try await DeviceConnection(channel: client, client: "test", version: "1")
        }
        #expect(error?.code == .incompatible)
        service.close()
    }
}
