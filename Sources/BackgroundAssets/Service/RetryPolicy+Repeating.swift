// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Foundation
package import Kit

// The one way in which this library gets over a device service that goes away.
extension RetryPolicy {
    /// Does `body`, and does it again while the service goes away before it is done, or has gone and is not back yet.
    /// - Throws: what `body` throws, also `DeviceError.Code.disconnected` and, after that, `unavailable` when patience has ended;
    ///   `CancellationError`.
    package func repeating<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        var retries = Retries()
        while true {
            let began = ContinuousClock.now
            do {
                return try await body()
            } catch let error as DeviceError where Self.mayComeBack(error, retries) {
                guard let wait = retries.next(self, began: began) else { throw error }
                try await Task.sleep(for: wait)
            }
        }
    }

    /// As above, blocking the thread.
    /// - Parameter onRepeat: called before `body` is done again: the service may have acted on it already.
    func repeatingAndWaiting<Result>(onRepeat: () -> Void, _ body: () throws -> Result) throws -> Result {
        var retries = Retries()
        while true {
            let began = ContinuousClock.now
            do {
                return try body()
            } catch let error as DeviceError where Self.mayComeBack(error, retries) {
                guard let wait = retries.next(self, began: began) else { throw error }
                onRepeat()
                Thread.sleep(forTimeInterval: wait / .seconds(1))
            }
        }
    }

    /// Whether the service may answer again: one that nobody could reach to begin with is not waited for.
    private static func mayComeBack(_ error: DeviceError, _ retries: Retries) -> Bool {
        error.code == .disconnected || error.code == .unavailable && retries.fruitless > 0
    }

    /// What `keepingUp` does next.
    package enum Next {
        /// Once more, after a wait that grows while nothing comes.
        case again
        case end
    }

    /// Does `body` over and over, until it wants no more or the task is cancelled; it never gives up.
    /// - Parameter body: resets the retries with each sign of life.
    package func keepingUp(_ body: (_ retries: inout Retries) async -> Next) async {
        let policy = forever
        var retries = Retries()
        while !Task.isCancelled {
            guard await body(&retries) == .again, let wait = retries.next(policy),
                (try? await Task.sleep(for: wait)) != nil
            else { return }
        }
    }
}
