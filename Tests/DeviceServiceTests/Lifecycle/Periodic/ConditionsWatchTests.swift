// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Hearing that the machine's conditions change.
@Suite(.timeLimit(.minutes(5))) struct ConditionsWatchTests {
    /// A message bus that takes whoever comes, and says what the test wants.
    private final class FakeBus: Sendable {
        private final class Client: Sendable {
            let socket: OwnedDescriptor
            init(_ socket: consuming OwnedDescriptor) { self.socket = socket }

            /// Reads until `text` has come so many times.
            func take(until text: String, times: Int, _ got: inout [UInt8]) {
                while String(decoding: got, as: UTF8.self).split(separator: text, omittingEmptySubsequences: false)
                    .count
                    <= times
                {
                    let part = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                        let count = (try? socket.borrowed.read(into: buffer)) ?? 0
                        return Array(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                    }
                    if part.isEmpty { return }
                    got += part
                }
            }
        }

        private let listener: UnixListener
        private let known = Monitor<(client: Client, asked: [UInt8])?>(nil)

        init(root: FilePath) throws {
            let path = root.pushing("run/dbus/system_bus_socket")
            try FileDescriptor.currentDirectory.makeDirectories(at: path.removingLastComponent())
            listener = try UnixListener(path: path)
            try WorkerThread.start(name: "fake-bus") { [listener, known] in
                guard let socket = (try? listener.accept()) ?? nil else { return }
                let client = Client(socket)
                var got: [UInt8] = []
                client.take(until: "\r\n", times: 1, &got)
                _ = try? client.socket.borrowed.writeAll(Array("OK 0123456789abcdef\r\n".utf8))
                client.take(until: "member='", times: 2, &got)
                let asked = got
                known.withLock { $0 = (client, asked) }
            }
        }

        /// What the client has sent up to its subscriptions.
        func asked() async throws -> String {
            try await onOwnThread { [known] in String(decoding: known.wait { $0?.asked }, as: UTF8.self) }
        }

        /// Sends a signal that names `subject`.
        func signal(_ subject: String) throws {
            var message = BusSubscription.call(subject, serial: 9)
            message[1] = 4
            try known.peek { _ = try $0?.client.socket.borrowed.writeAll(message) }
        }

        func close() { listener.close() }
    }

    @Test func aChangedNetworkIsHeardAtOnce() async throws {
        try await Scratch.with { scratch in
            let bus = try FakeBus(root: scratch.path)
            defer { bus.close() }
            let answer = try scratch.write("u 2\n", to: "answer")
            let program = try scratch.write("#!/bin/sh\ncat \(answer)\n", to: "bus")
            try FileDescriptor.currentDirectory.setPermissions(.ownerReadWriteExecute, at: program)
            let gate = BackgroundGate(
                .init(
                    settings: SettingsFile(scratch("c")),
                    conditions: ConditionsReader(root: scratch.path, busProgram: program),
                    sleep: { _ in try await Task.sleep(for: .seconds(3600)) }))
            let (nudges, nudge) = AsyncStream<Void>.makeStream()
            gate.attach { nudge.yield() }
            var next = nudges.makeAsyncIterator()
            gate.need(true)
            while gate.rule == nil { _ = await next.next() }
            #expect(gate.rule?.conditions.isMetered == false)
            let asked = try await bus.asked()
            #expect(asked.hasPrefix("\0AUTH EXTERNAL 3"))
            #expect(asked.contains("member='PropertiesChanged'") && asked.contains("member='NameOwnerChanged'"))
            try scratch.write("u 1\n", to: "answer")
            try bus.signal("org.example.other")
            try bus.signal(BusSubscription.networkManager)
            while gate.rule?.conditions.isMetered != true { _ = await next.next() }
            try scratch.write("u 2\n", to: "answer")
            try bus.signal(BusSubscription.networkManager)
            while gate.rule?.conditions.isMetered != false { _ = await next.next() }
            gate.stop()
        }
    }

    @Test func messagesAreFramedAsTheProtocolSays() throws {
        let hello = BusSubscription.call("Hello", serial: 1)
        #expect(try BusSubscription.length(hello) == hello.count)
        #expect(hello.prefix(16) == [0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0x6E, 0, 0, 0])
        #expect(hello.count == 128)
        let match = BusSubscription.call("AddMatch", serial: 2, argument: "type='signal'")
        #expect(try BusSubscription.length(match) == match.count)
        #expect(match.suffix(18) == [13, 0, 0, 0] + Array("type='signal'".utf8) + [0])
        #expect(try BusSubscription.length(Array(match.prefix(15))) == nil)
        var strange = hello
        strange[0] = 0x42
        #expect(throws: KitError.self) { try BusSubscription.length(strange) }
        strange[0] = 0x21
        #expect(throws: KitError.self) { try BusSubscription.length(strange) }
    }

    @Test func ofTheKernelsEventsThoseOfPowerSuppliesCount() throws {
        func event(_ words: String...) -> [UInt8] { Array(words.joined(separator: "\0").utf8) + [0] }
        #expect(
            KernelEventSocket.isPowerSupply(
                event("change@/devices/x/power_supply/BAT0", "ACTION=change", "SUBSYSTEM=power_supply", "SEQNUM=1")))
        #expect(!KernelEventSocket.isPowerSupply(event("add@/devices/power_supply", "SUBSYSTEM=block")))
        #expect(!KernelEventSocket.isPowerSupply([]))
        // Nothing has happened, and nobody waits for it.
        let socket = try KernelEventSocket()
        _ = socket.takePowerSupplies()
    }
}
