// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// An actor that carries out what the transfer queue decides about the transfers that are its own.
///
/// Everything that changes takes its turn, so that the database, the queue and the disk tell one story.
protocol TransferOwner: Actor {
    static var owner: TransferKey.Owner { get }
    nonisolated var transfers: TransferDispatcher { get }
    var turn: TurnLock { get set }

    /// Does what the queue says.
    func carryOut(_ action: TransferQueue.Action) async
}

extension TransferOwner {
    /// Hears from now on of what others' transfers bring about.
    nonisolated func attach() {
        transfers.attach(Self.owner) { [weak self] in Task { await self?.catchUp() } }
    }

    /// Runs `body` when everything before it is done. Not to be nested.
    func inTurn<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if !turn.take() { await withCheckedContinuation { turn.enqueue($0) } }
        defer { turn.give() }
        return try await body()
    }

    /// Tells the queue a fact, and does what follows for this owner.
    func transfer(_ body: (inout TransferQueue) -> [TransferQueue.Action]) async {
        transfers.change(Self.owner, body)
        await perform()
    }

    private func catchUp() async {
        await inTurn { await perform() }
    }

    private func perform() async {
        while let action = transfers.next(Self.owner) { await carryOut(action) }
    }

    /// Runs an attempt on a thread of its own, and `ended` afterwards.
    /// - Throws: `KitError` when there is no thread to be had.
    nonisolated func runAttempt<Ending: Sendable>(
        _ attempt: @escaping @Sendable () -> Ending, ended: @escaping @Sendable (Ending) async -> Void
    ) throws {
        try WorkerThread.start(name: "larder-\(Self.owner)") {
            let ending = attempt()
            Task { await ended(ending) }
        }
    }
}

extension TransferQueue {
    /// Host and port of an address, by which places are counted.
    static func host(of url: String) -> String {
        guard let start = url.utf8.firstOccurrence(of: "://".utf8)?.upperBound else { return url }
        return url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
    }
}
