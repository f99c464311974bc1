// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// What is told of transfers between two of their states.
@Suite(.timeLimit(.minutes(5))) struct TransferListingTests {
    @Test(.timeLimit(.minutes(5))) func aPackThatIsLocalIsNotListedAsQueued() async throws {
        let generations = Locked<AppGenerations?>(nil)
        let isHeld = Monitor(false)
        let mayGoOn = Monitor(false)
        var configuration = StoreConfiguration.quick
        configuration.commitHook = { step in
            guard step == .stagingRemoved else { return }
            // As soon as the commit is through, whoever asks what is local has to wait.
            try WorkerThread.start(name: "holder") {
                try? generations.withLock { $0 }?.withCurrentTable { _ in
                    isHeld.withLock { $0 = true }
                    _ = mayGoOn.wait { $0 ? true : nil }
                }
            }
            // It waits for the lock that this thread has.
        }
        try await StoreHarness.with(configuration: configuration) { harness in
            let known = try await harness.store.generations(of: StoreHarness.app)
            generations.withLock { $0 = known }
            let events = harness.store.events(ofApp: StoreHarness.app)
            try await harness.store.request([try harness.offer(PackFixture("levels", files: ["a": [1]])).request])
            _ = try await onOwnThread { isHeld.wait { $0 ? true : nil } }
            var states: Set<TransferStatus.State> = []
            while let transfer = try await harness.store.transfers(app: nil).first {
                states.insert(transfer.state)
                guard [.downloading, .unpacking].contains(transfer.state) else { break }
                await Task.yield()
            }
            mayGoOn.withLock { $0 = true }
            #expect(states.isSubset(of: [.downloading, .unpacking]), "\(states)")
            #expect(await StoreHarness.outcomes(of: ["levels"], in: events)["levels"]?.local != nil)
        }
    }
}
