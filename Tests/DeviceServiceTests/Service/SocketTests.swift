// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// The protocol at its edges, and two services on one folder.
@Suite(.timeLimit(.minutes(5))) struct SocketTests {
    private func raw(_ harness: ServiceHarness) throws -> FrameChannel {
        FrameChannel(try UnixSocket.connect(harness.paths.socket))
    }

    private func ask(_ channel: FrameChannel, _ text: String) async throws -> WireHeader? {
        try await onOwnThread {
            try channel.send(Array(text.utf8))
            return try channel.receive().map { try WireCodec.header($0) }
        }
    }

    private static let hello = #"{"id":1,"method":"hello","params":{"protocol":1,"client":"t","version":"1"}}"#

    /// A service that was killed has given up its lock and still listens for a moment.
    @Test func aSocketThatIsJustClosingIsWaitedFor() async throws {
        try await ServiceHarness.with([]) { harness in
            await harness.stop()
            let dying = try UnixListener(path: harness.paths.socket)
            async let started: Void = harness.start()
            // Somebody has looked who is there.
            let looked = try await onOwnThread { try dying.accept() != nil }
            #expect(looked)
            dying.close()
            try await started
            #expect(try await harness.connect().send(AppsRequest()).apps == [])
        }
    }

    @Test func unknownMethodsAreAnswered() async throws {
        try await ServiceHarness.with { harness in
            let channel = try raw(harness)
            #expect(try await ask(channel, Self.hello)?.error == nil)
            let answer = try await ask(channel, #"{"id":2,"method":"levitate","params":{}}"#)
            #expect(answer?.id == 2)
            #expect(answer?.error?.code == .unknownMethod)
            let wrong = try await ask(channel, #"{"id":3,"method":"packs","params":{"app":5}}"#)
            #expect(wrong?.error?.code == .badMessage)
            #expect(try await ask(channel, #"{"id":4,"method":"apps","params":{}}"#)?.error == nil)
        }
    }

    @Test(arguments: [
        "nonsense", #"{"id":1,"method":"apps","params":{}}"#, #"{"result":{}}"#,
        #"{"id":1,"method":"hello","params":{"protocol":99,"client":"t","version":"1"}}"#,
    ])
    func whoBreaksTheProtocolIsToldAndLeft(_ text: String) async throws {
        try await ServiceHarness.with { harness in
            let channel = try raw(harness)
            #expect(try await ask(channel, text)?.error != nil)
            let end = try await onOwnThread { try channel.receive() }
            #expect(end == nil)
            _ = try await harness.connect().send(AppsRequest())
        }
    }

    @Test func aFrameThatIsTooLargeEndsTheConnectionOnly() async throws {
        try await ServiceHarness.with { harness in
            let socket = try UnixSocket.connect(harness.paths.socket)
            _ = try socket.borrowed.writeAll([0xFF, 0xFF, 0xFF, 0xFF])
            let answer = try socket.borrowed.readAll()
            #expect(answer == [])
            _ = try await harness.connect().send(AppsRequest())
        }
    }

    @Test func anIdInFlightIsNotTakenTwice() async throws {
        try await ServiceHarness.with { harness in
            try await harness.install(try harness.bundle())
            let channel = try raw(harness)
            _ = try await ask(channel, Self.hello)
            let stream = #"{"id":2,"method":"app.statusUpdates","params":{"app":"\#(ServiceHarness.app)"}}"#
            try channel.send(Array(stream.utf8))
            #expect(try await ask(channel, stream)?.error?.code == .badMessage)
            try channel.send(Array(#"{"cancel":2}"#.utf8))
            let end = try await onOwnThread { try channel.receive().map { try WireCodec.header($0) } }
            #expect(end?.stream == 2)
        }
    }

    @Test func aSecondServiceIsRefusedByName() async throws {
        try await ServiceHarness.with { harness in
            let configuration = ServiceConfiguration(paths: harness.paths, version: "second", log: .silent)
            let error = await #expect(throws: DeviceError.self) { try await DeviceService.start(configuration) }
            #expect(error?.message.contains("already serves \(harness.paths.state)") == true)
            #expect(error?.message.contains("\(CurrentProcess.identifier)") == true)
            await harness.stop()
            try await harness.start()
        }
    }

    @Test func whoWasToldOfTheEndDoesNotReachTheEndingService() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            _ = try await connection.send(StopRequest())
            let error = await #expect(throws: DeviceError.self) { try await harness.connect() }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func aServiceWaitsForOneThatIsEnding() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            var looks = 0
            let ending = try FileLock.acquire(harness.paths.state.appending("lock"), .exclusive)
            // Nobody listens: the other has closed its socket and is about to end, which it does after the third look.
            let lock = try StateLock.take(harness.paths) { wait in
                #expect(wait <= .seconds(5))
                looks += 1
                if looks == 3 { ending.descriptor.unlock() }
            }
            #expect(looks == 3)
            withExtendedLifetime(lock) {}
        }
    }

    /// A child between fork and exec has what its parent had: the lock, and the socket that clients can still connect to.
    @Test func aServiceTakesOverFromOneThatWasKilledWhileItStartedAProgram() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            let listener = try UnixListener(path: harness.paths.socket)
            let inherited = try FileLock.acquire(harness.paths.state.appending("lock"), .exclusive)
            // A number that no process has.
            let number = inherited.descriptor.rawValue
            try systemCall { ftruncate(number, 0) }
            _ = try Array("4194305".utf8).withUnsafeBytes { try inherited.descriptor.write(toAbsoluteOffset: 0, $0) }
            var looks = 0
            let lock = try StateLock.take(harness.paths) { _ in
                looks += 1
                if looks == 2 { inherited.descriptor.unlock() }
            }
            #expect(looks == 2)
            withExtendedLifetime(lock) {}
            withExtendedLifetime(listener) {}
        }
    }

    @Test func aServiceThatHasStoppedLeavesItsFolderThoughItIsStillKnown() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            let configuration = ServiceConfiguration(paths: harness.paths, version: "test", log: .silent)
            let known = try await DeviceService.start(configuration)
            await known.stop()
            try await harness.start()
            withExtendedLifetime(known) {}
        }
    }

    @Test func aDamagedDatabaseIsNamedAtTheStart() async throws {
        try await ServiceHarness.with { harness in
            await harness.stop()
            try AtomicFile.write(Array(repeating: UInt8(7), count: 4096), to: harness.paths.database, durable: false)
            let configuration = ServiceConfiguration(paths: harness.paths, version: "test", log: .silent)
            let error = await #expect(throws: (any Error).self) { try await DeviceService.start(configuration) }
            #expect((error as? any LarderError)?.codeName == "database.corrupt")
        }
    }
}
