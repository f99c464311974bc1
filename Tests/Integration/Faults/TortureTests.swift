// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import TestSupport
import Testing

/// The fault campaign in its short form; `make torture` is the long one.
@Suite struct TortureTests {
    /// A seed that stays, so that a failure is the change's and not the die's.
    private static let seed = Environment.current["LARDER_TEST_SEED"] ?? "20240229"

    @Test(.timeLimit(.minutes(5))) func aFewRoundsOfFaultsLeaveNothingWrong() async throws {
        try await expectClean("--seconds", "6", "--devices", "2")
    }

    @Test(.timeLimit(.minutes(5))) func requestsForResourcesLeaveNothingWrong() async throws {
        try await expectClean("--seconds", "8", "--resources", "yes")
    }

    @Test(.timeLimit(.minutes(5)), .enabled(if: Environment.findExecutable("strace") != nil, "needs strace"))
    func aFewPowerCutsLeaveNothingWrong() async throws {
        try await expectClean("--power-cuts", "8")
    }

    private func expectClean(_ arguments: String...) async throws {
        await Turnstile.shared.enter()
        let result = await Task {
            try await Binaries.run("larder-torture", arguments + ["--seed", Self.seed], atMost: .seconds(240))
        }.result
        await Turnstile.shared.leave()
        let output = try result.get()
        print(output.outputText)
        #expect(output.exitCode == 0, "\(output.outputText)\(output.errorText)")
    }
}
