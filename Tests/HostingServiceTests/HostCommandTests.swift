// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingService
import TestSupport
import Testing

/// The command line of `larder-host`.
@Suite struct HostCommandTests {
    @Test func everyCommandIsExplainedWithAnExample() {
        #expect(CommandTreeCheck.problems(in: HostCommands.tree) == [])
    }
}
