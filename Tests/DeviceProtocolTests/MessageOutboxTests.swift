// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@testable import DeviceProtocol

@Suite(.timeLimit(.minutes(5))) struct MessageOutboxTests {
    /// However many there are of them.
    @Test func peersThatDoNotReadHoldUpNobodyElse() async throws {
        let channels = try (0..<80).map { _ in
            let (own, theirs) = try UnixSocket.pair()
            return (FrameChannel(OwnedDescriptor(own)), FrameChannel(OwnedDescriptor(theirs)))
        }
        defer {
            for (own, theirs) in channels {
                own.close()
                theirs.close()
            }
        }
        // More than a socket takes.
        for (own, _) in channels { #expect(MessageOutbox(own).post([UInt8](repeating: 0, count: 1 << 20))) }
        let isDone = Monitor(false)
        Task {
            try await offload {}
            isDone.withLock { $0 = true }
        }
        #expect(try await onOwnThread { isDone.wait(atMost: .seconds(30)) { $0 ? true : nil } } == true)
    }
}
