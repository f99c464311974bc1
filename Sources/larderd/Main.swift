// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceService
import Kit

@main
enum Main {
    static func main() { Daemon.run(arguments: CommandLine.arguments).exitProcess() }
}
