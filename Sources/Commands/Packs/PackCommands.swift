// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The commands that make, look into and check asset packs: `ba-package` and the verbs of the same names of `larder`.
package enum PackCommands {
    /// Those that `larder` has, too.
    package static let shared: [Command] = [
        template, package, evaluate, downloadManifest, sign, verifyManifest, keys, list, extract, index, patch, diff,
        archive,
    ]

    /// `ba-package`, whose default is to package.
    package static let tree = Command(
        "ba-package", summary: "Make and check asset packs",
        discussion: """
            An asset pack is an Apple Archive with a manifest and files, made after a pack manifest in JSON. Arguments are \
            spelled as those of Apple's tool of this name.
            """,
        examples: [
            .init("ba-package template -o Tutorial.json", "writes a manifest to fill in"),
            .init("ba-package Tutorial.json -o Tutorial.aar", "packs what it selects"),
            .init(
                "ba-package download-manifest create Tutorial.aar --ios --download-base-url "
                    + "https://cdn.example.com/packs",
                "prints the manifest to serve beside it"),
        ],
        subcommands: shared + [verify], defaultSubcommand: "package")
}
