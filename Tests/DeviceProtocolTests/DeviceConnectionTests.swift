// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DeviceProtocol

@Suite(.timeLimit(.minutes(5))) struct DeviceConnectionTests {
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

    private func connectAndWait(
        _ answer: @escaping @Sendable (WireHeader, [UInt8]) -> [[UInt8]]
    ) async throws -> (DeviceConnection, ScriptedService) {
        let (client, end) = MemoryChannel.pair()
        let service = try ScriptedService(end) { header, bytes in
            if header.method == "hello" { return [ScriptedService.hello(header.id ?? 0)] }
            return answer(header, bytes)
        }
        let connection = try await onOwnThread {
            try DeviceConnection(waitingOn: client, client: "test", version: "1")
        }
        #expect(try await service.next()?.method == "hello")
        return (connection, service)
    }

    @Test func callersThatBlockReadForEachOther() async throws {
        let (connection, service) = try await connectAndWait { _, _ in [] }
        try await withThrowingTaskGroup(of: [String].self) { group in
            var ids: [Int64] = []
            for _ in 0..<6 {
                group.addTask { try await onOwnThread { try connection.sendAndWait(TrustListRequest()).names } }
                ids.append(try #require(try await service.next()?.id))
            }
            // The first to ask, which reads, is answered neither first nor last.
            for id in [ids[3], ids[0], ids[5], ids[1], ids[4], ids[2]] {
                try service.send(WireCodec.result(id, TrustListRequest.Reply(names: ["\(id)"])))
            }
            var names: [String] = []
            for try await answer in group { names += answer }
            #expect(names.sorted() == ids.map { "\($0)" }.sorted())
        }
    }

    @Test func aStreamGoesOnBesideCallersThatBlock() async throws {
        let (connection, service) = try await connectAndWait { _, _ in [] }
        let blocked = Task { try await onOwnThread { try connection.sendAndWait(TrustListRequest()).names } }
        let first = try #require(try await service.next()?.id)
        let stream = connection.stream(WatchInstallRequest(app: "a"))
        let id = try #require(try await service.next()?.id)
        var events = stream.makeAsyncIterator()
        try service.send(WireCodec.event(id, InstallEvent(app: "a", displayName: "A", phase: .checking)))
        // Whoever reads hands it out.
        #expect(try await events.next()?.phase == .checking)
        try service.send(WireCodec.result(first, TrustListRequest.Reply(names: ["x"])))
        #expect(try await blocked.value == ["x"])
        try service.send(WireCodec.event(id, InstallEvent(app: "a", displayName: "A", phase: .complete)))
        #expect(try await events.next()?.phase == .complete)
        try service.send(WireCodec.end(id))
        #expect(try await events.next() == nil)
    }

    @Test func aVanishedServiceFailsAllWhoBlock() async throws {
        let (connection, service) = try await connectAndWait { _, _ in [] }
        await withTaskGroup(of: DeviceError?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        _ = try await onOwnThread { try connection.sendAndWait(AppsRequest()) }
                        return nil
                    } catch {
                        return error as? DeviceError
                    }
                }
                _ = try? await service.next()
            }
            service.close()
            for await error in group { #expect(error?.code == .disconnected) }
        }
        #expect(!connection.isConnected)
    }

    @Test func aServiceThatGoesWhileNobodyReadsIsNoticed() async throws {
        let (ours, theirs) = try UnixSocket.pair()
        let end = FrameChannel(OwnedDescriptor(theirs))
        let service = try WorkerThread.start(name: "service") {
            guard let message = try? end.receive(), let id = try? WireCodec.header(message).id else { return }
            try? end.send(ScriptedService.hello(id))
        }
        let connection = try await onOwnThread {
            try DeviceConnection(
                waitingOn: FrameChannel(OwnedDescriptor(ours)), client: "test", version: "1")
        }
        service.join()
        #expect(connection.isConnected)
        end.close()
        #expect(!connection.isConnected)
    }
}
