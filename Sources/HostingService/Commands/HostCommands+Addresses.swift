// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

extension HostCommands {
    static let addresses = Command(
        "addresses", summary: "Change the key that signs addresses of archives",
        discussion:
            "Addresses are signed when the host serves with --archive-lifetime. Hosts that run take a new key within seconds.",
        examples: [
            .init("larder-host addresses rotate", "a new key; addresses that are out stay good until they expire")
        ],
        subcommands: [rotateAddresses])

    private static let rotateAddresses = Command(
        "rotate", summary: "Sign with a new key from now on",
        examples: [
            .init("larder-host addresses rotate", "a new key; addresses that are out stay good until they expire"),
            .init("larder-host addresses rotate --at-once", "no address that is out is good any more"),
        ],
        options: [
            data, database, .flag("at-once", "Believe the key before no longer: devices fetch their manifests again."),
            .json,
        ]
    ) { arguments, context in
        try await administer(arguments, context) { host in
            let key = try await host.rotateArchiveKeys(keepsFormer: !arguments.flag("at-once"))
            if context.json {
                context.print(json: ["key": .string(key)])
            } else {
                context.print("Key: \(key)")
            }
        }
    }
}
