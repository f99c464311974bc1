// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The command trees of the one program under its names.
package enum CommandTrees {
    /// Every name the program answers to; each is a link to it.
    package static let names = ["larder", "ba-package", "ba-serve", "backgroundassets-debug", "altool"]

    /// The tree for the name the program was called by; any unknown name is `larder`.
    package static func tree(for name: String) -> Command {
        switch name {
        case "ba-package": PackCommands.tree
        case "ba-serve": ServeCommands.tree
        case "backgroundassets-debug": DebugCommand.tree
        case "altool": AltoolCommand.tree
        default: larder
        }
    }

    package static let all: [Command] = names.map(tree(for:))

    static let larder = Command(
        "larder", summary: "Put an app's large assets on the machine before the app opens",
        discussion: """
            Larder packs assets, serves them in development, installs apps with their packs, keeps the packs current and \
            hands them to apps as plain files.
            """,
        examples: [
            .init("larder install TheCoast.app", "installs an app and its essential packs"),
            .init("larder launch com.example.coast", "runs it in the foreground"),
        ],
        subcommands: DeviceCommands.all.map { $0.grouped("On the device") }
            + ReadingCommands.all.map { $0.grouped("Reading packs from any program") }
            + PackCommands.shared.map { $0.grouped("Making packs") }
            + ResourceCommands.all.map { $0.grouped("Making packs") }
            + ServeCommands.all.map { $0.grouped("Serving packs") }
            + HostingCommands.all.map { $0.grouped("Publishing packs on a host") }
            + ShellCommands.all.map { $0.grouped("About these commands") })
}
