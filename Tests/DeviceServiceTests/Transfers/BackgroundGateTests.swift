// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// When the machine is looked at: only for transfers that depend on it.
@Suite(.timeLimit(.minutes(5))) struct BackgroundGateTests {
    /// A sleep that lasts until the test ends it.
    private final class Bed: Sendable {
        private let waiting = Monitor<[CheckedContinuation<Void, Never>]>([])

        func sleep() async throws {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            try Task.checkCancellation()
        }

        /// Waits for a sleeper and wakes it.
        func wake() async throws {
            let sleeper = try await onOwnThread {
                self.waiting.wait { $0.isEmpty ? nil : $0.removeFirst() }
            }
            sleeper.resume()
        }
    }

    private func with(_ body: (BackgroundGate, Scratch, Bed, AsyncStream<Void>) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let bed = Bed()
            let gate = BackgroundGate(
                .init(
                    settings: SettingsFile(scratch("c")), conditions: ConditionsReader(root: scratch.path),
                    sleep: { _ in try await bed.sleep() }))
            let (nudges, nudge) = AsyncStream<Void>.makeStream()
            gate.attach { nudge.yield() }
            try await body(gate, scratch, bed, nudges)
            gate.stop()
        }
    }

    @Test func theMachineIsReadWhenNeededAndAgainWhileItIs() async throws {
        try await with { gate, scratch, bed, nudges in
            try scratch.write("low-power\n", to: "sys/firmware/acpi/platform_profile")
            #expect(gate.rule == nil, "nobody asked")
            var next = nudges.makeAsyncIterator()
            gate.need(true)
            _ = await next.next()
            #expect(gate.rule?.conditions.isLowPower == true)
            try scratch.write("balanced\n", to: "sys/firmware/acpi/platform_profile")
            try await bed.wake()
            _ = await next.next()
            #expect(gate.rule?.conditions.isLowPower == false)
            gate.connected("org.a", true)
            _ = await next.next()
            #expect(gate.rule?.running == ["org.a"])
            gate.connected("org.a", true)
            gate.connected("org.a", false)
            #expect(gate.rule?.running == ["org.a"], "it has another connection")
            gate.need(false)
            #expect(gate.rule == nil, "what was read is good no longer than it is needed")
            try await bed.wake()
        }
    }
}
