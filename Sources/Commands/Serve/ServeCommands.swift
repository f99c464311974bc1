// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The commands that serve packs in development.
package enum ServeCommands {
    package static let all: [Command] = [serve]

    /// The program under the name `ba-serve`.
    package static let tree = Command(
        "ba-serve", summary: "Serve asset packs on this machine, and send apps there",
        discussion: "'ba-serve A.aar' is 'ba-serve serve A.aar'; 'larder serve' is the same.",
        examples: [
            .init("ba-serve Tutorial.aar", "serves a pack until Ctrl-C"),
            .init("ba-serve url-override https://localhost:8443", "makes all apps ask that server"),
        ],
        subcommands: [serve, DeviceCommands.urlOverride], defaultSubcommand: "serve")
}
