// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// A process may run one service after the other: what is stopped leaves nothing behind.
@Suite(.timeLimit(.minutes(5))) struct StoppedServiceTests {
    private struct Part {
        var name: String
        weak var object: AnyObject?
    }

    /// What the service is made of and has an end of its own, its database's thread above all.
    private func parts(of service: DeviceService) -> [Part] {
        Mirror(reflecting: service).children.compactMap { child in
            guard let name = child.label, type(of: child.value) is AnyClass else { return nil }
            return Part(name: name, object: child.value as AnyObject)
        }
    }

    @Test func nothingOfItStays() async throws {
        try await ServiceHarness.with { harness in
            #expect(try await harness.install(try harness.bundle()).last?.phase == .complete)
            let connection = try await harness.connect()
            _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
            let parts = try parts(of: #require(harness.service))
            #expect(parts.contains { $0.name == "database" } && parts.contains { $0.name == "downloads" })
            await harness.stop()
            connection.close()
            // Tasks that have just ended let go of it.
            for _ in 0..<2000 where parts.contains(where: { $0.object != nil }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(parts.filter { $0.object != nil }.map(\.name) == [])
        }
    }
}
