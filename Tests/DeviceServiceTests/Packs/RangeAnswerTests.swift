// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import TestSupport
import Testing

@testable import DeviceService

/// Updates from servers whose answers to requests for ranges are changed by chance: heads of parts, lengths, bytes, ends.
@Suite(.timeLimit(.minutes(5))) struct RangeAnswerTests {
    @Test(arguments: [true, false]) func whateverComesTheVersionIsRight(hasPatch: Bool) async throws {
        var random = SeededGenerator.forTest("\(#function) \(hasPatch)")
        for _ in 0..<12 {
            try await StoreHarness.with { harness in
                var old = PackFixture("levels", files: [:])
                old.blockSize = 16 << 10
                for number in 0..<40 { old.files["maps/\(number)"] = random.bytes(15_000) }
                try await harness.fetch(try harness.offer(old).request)
                var new = old
                new.version = 2
                for number in stride(from: 0, to: 40, by: 6) { new.files["maps/\(number)"]?[7000] ^= 1 }
                // Found elsewhere, so that not all of the patch is asked for.
                new.files["large"] = random.bytes(2_000_000)
                let other = PackFixture("other", files: ["large": new.files["large"] ?? []])
                try await harness.fetch(try harness.offer(other).request)
                var request = try harness.offerUpdate(new).request
                if hasPatch { request = try harness.offerPatch(new, from: old).request }
                for path in ["/levels", "/levels.patch"] {
                    harness.server.fail(path: path, (0..<3).map { _ in .mangled(random.next()) })
                }
                let before = old.files
                harness.server.onRequest { _ in
                    let files = try? readableFiles(harness.root).filter { $0.key != "large" }
                    if files != before { Issue.record("not the old version") }
                }
                let outcome = try await harness.fetch(request)["levels"]
                if outcome?.local?.version != 2 {
                    // It may be refused, in words, and then the old version is there, and comes right with the next one.
                    #expect(outcome?.error?.message.isEmpty == false, "seed \(random.seed)")
                    harness.server.fail(path: "/levels", [])
                    harness.server.fail(path: "/levels.patch", [])
                    #expect(try await harness.fetch(request)["levels"]?.local?.version == 2, "seed \(random.seed)")
                }
                let isRight = try readableFiles(harness.root) == new.files
                #expect(isRight, "seed \(random.seed)")
                try await harness.expectNothingLeft()
            }
        }
    }
}
