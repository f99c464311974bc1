// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

struct RetryPolicyTests {
    private let start = ContinuousClock.now

    @Test func waitsDoubleUpToABoundLessChanceAndTheServersWishIsHonoured() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(60), patience: .seconds(100))
        #expect(policy.wait(attempt: 1, jitter: 1, wish: .seconds(30)) == .seconds(30))
        #expect(policy.wait(attempt: 1, jitter: 1, wish: .seconds(3000)) == .seconds(60))
        #expect(policy.wait(attempt: 3, jitter: 1) == .seconds(2))
        #expect(policy.wait(attempt: 3, jitter: 0.5) == .seconds(3))
        #expect(policy.wait(attempt: .max, jitter: 0) == .seconds(60))
    }

    @Test func patienceEndsUnlessSomethingComes() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(4), patience: .seconds(10))
        var retries = Retries(now: start)
        #expect(retries.next(policy, jitter: 0, now: start + .seconds(9)) == .seconds(1))
        #expect(retries.next(policy, jitter: 0, now: start + .milliseconds(9999)) == .seconds(2))
        #expect(retries.next(policy, jitter: 0, now: start + .seconds(10)) == nil)
        retries.reset(now: start + .seconds(10))
        #expect(retries.next(policy, jitter: 0, now: start + .seconds(15)) == .seconds(1))
        #expect(retries.fruitless == 1)
        #expect(retries.next(policy.forever, jitter: 0, now: start + .seconds(1 << 30)) == .seconds(2))
    }

    @Test func aSilenceThatUsesUpAllPatienceIsFollowedByAnotherAttempt() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(4), patience: .seconds(10))
        var retries = Retries(now: start)
        #expect(retries.next(policy, jitter: 0, now: start + .seconds(30)) == .seconds(1))
        #expect(retries.next(policy, jitter: 0, now: start + .seconds(31)) == nil)
    }

    @Test func anAttemptThatLastedIsASignOfLife() {
        let policy = RetryPolicy(first: .seconds(1), longest: .seconds(4), patience: .seconds(10))
        var retries = Retries(now: start)
        for minute in 1...5 {
            let failed = start + .seconds(60 * minute)
            #expect(retries.next(policy, jitter: 0, began: failed - .seconds(4), now: failed) == .seconds(1))
        }
        let failed = start + .seconds(360)
        #expect(retries.next(policy, jitter: 0, began: failed - .seconds(3), now: failed) == nil)
    }

    @Test func whatIsLeftToChanceStaysInItsBounds() {
        var retries = Retries()
        for _ in 0..<6 {
            let wait = retries.next(RetryPolicy.service.forever)
            #expect(wait.map { $0 >= .milliseconds(50) && $0 <= .seconds(5) } == true)
        }
    }
}
