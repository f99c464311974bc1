// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import BackgroundAssets

/// What a library does whose service goes away under it.
@Suite(.timeLimit(.minutes(5))) struct RetryPolicyRepeatingTests {
    /// Fails as listed, one after the other, and then succeeds.
    private final class Script: Sendable {
        private let codes: Locked<[DeviceError.Code]>
        private let asked = Locked(0)

        init(_ codes: DeviceError.Code...) { self.codes = Locked(codes) }

        var count: Int { asked.withLock { $0 } }

        func answer() throws -> Int {
            asked.withLock { $0 += 1 }
            let code = codes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let code { throw DeviceError(code, "As told.") }
            return 7
        }
    }

    private static let policy = RetryPolicy(
        first: .milliseconds(1), longest: .milliseconds(2), patience: .seconds(120))

    /// Between the end of a service and the start of the next nobody is at its address.
    @Test func aServiceThatIsNotBackYetIsWaitedFor() async throws {
        let script = Script(.disconnected, .unavailable, .unavailable, .disconnected)
        #expect(try await Self.policy.repeating { try script.answer() } == 7)
        #expect(script.count == 5)
        let blocking = Script(.disconnected, .unavailable, .unavailable)
        #expect(
            try await onOwnThread { try Self.policy.repeatingAndWaiting(onRepeat: {}) { try blocking.answer() } } == 7)
        #expect(blocking.count == 4)
    }

    @Test func aServiceThatWasNeverThereIsNotWaitedFor() async throws {
        let script = Script(.unavailable)
        await #expect(throws: DeviceError.self) { try await Self.policy.repeating { try script.answer() } }
        #expect(script.count == 1)
    }

    @Test func patienceEnds() async throws {
        let policy = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(2), patience: .zero)
        let script = Script(.disconnected, .unavailable, .unavailable)
        let error = await #expect(throws: DeviceError.self) { try await policy.repeating { try script.answer() } }
        #expect(error?.code == .unavailable)
        #expect(script.count == 2)
    }
}
