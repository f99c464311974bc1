// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import DeviceService

@Suite struct CheckpointPaceTests {
    private let start = ContinuousClock.now

    private func isDue(_ pace: CheckpointPace, _ written: Int64, size: Int64 = 0, after pause: Duration) -> Bool {
        pace.isDue(written: written, size: size) { start.advanced(by: pause) }
    }

    @Test func fastConnectionsAreKeptByBytes() {
        let pace = CheckpointPace(since: start)
        #expect(!isDue(pace, 4 << 20, after: .milliseconds(49)))
        #expect(isDue(pace, 4 << 20, after: .milliseconds(50)))
        #expect(!isDue(pace, (4 << 20) - 1, after: .milliseconds(999)))
    }

    /// Else an update of less than the interval would begin anew however often the service is stopped.
    @Test func slowConnectionsAreKeptByTime() {
        var pace = CheckpointPace(since: start)
        #expect(isDue(pace, 1, after: .seconds(1)))
        pace.taken(written: 1, at: start.advanced(by: .seconds(1)))
        #expect(!isDue(pace, 1, after: .seconds(60)))
        #expect(!isDue(pace, 2, after: .milliseconds(1999)))
        #expect(isDue(pace, 2, after: .seconds(2)))
    }

    @Test func manyLinksMakeItRarer() {
        let pace = CheckpointPace(since: start)
        #expect(!isDue(pace, 8 << 20, size: 12 << 20, after: .milliseconds(2999)))
        #expect(isDue(pace, 8 << 20, size: 12 << 20, after: .seconds(3)))
        #expect(isDue(pace, 12 << 20, size: 12 << 20, after: .milliseconds(50)))
    }
}
