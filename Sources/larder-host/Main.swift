// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingService
import Kit

@main
enum Main {
    static func main() {
        CommandLineProgram.run(CommandLine.arguments) { _ in HostCommands.tree }
    }
}
