// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import System

extension PackCommands {
    static let keys = Command(
        "keys", summary: "Make and change the keys that sign manifests",
        discussion: """
            An app whose Info.plist has LarderManifestKeys takes only manifests that its keys signed. Keys are Ed25519; private \
            ones are files that only their owner can read. Root keys hand over to other keys, so that installed apps follow \
            a change of keys; keep them off the machines that publish.
            """,
        examples: [
            .init("ba-package keys create -o release.pem", "makes a key and prints what goes into Info.plist"),
            .init("ba-package keys show release.pem", "prints that once more"),
            .init("ba-package keys show release.pem --root root.pem", "prints it with a root key"),
        ],
        subcommands: [createKey, showKeys, rotateKeys])

    private static let createKey = Command(
        "create", summary: "Make a key",
        discussion: """
            Writes the private key as PKCS #8 in PEM with mode 0600, and prints the public key and the lines for Info.plist. Whoever \
            has the file can publish in the app's name; without it, nobody can.
            """,
        examples: [.init("ba-package keys create -o release.pem", "makes release.pem")],
        options: [
            .value(
                PackSupport.outputOption, short: "o", "file.pem", "Where the private key goes; nothing is overwritten.",
                completion: .file),
            .json, PackSupport.quiet,
        ]
    ) { arguments, context in
        let name = try arguments.required(PackSupport.outputOption)
        let key = try Ed25519PrivateKey()
        let pem = try key.pem()
        try await offload {
            try NewOutput.write(pem, to: context.resolve(name), permissions: .ownerReadWrite, durable: true)
        }
        if context.json {
            context.print(json: ["file": .string(name), "publicKey": .string(key.publicKey.text)])
        } else if !arguments.flag("quiet") {
            context.print("\(name): \(key.publicKey.text)")
            context.print("For the app's Info.plist:")
            context.print(try propertyList([key.publicKey]))
            context.print(
                "As a root key beside one that signs: `ba-package keys show <signing key> --root \(name)` prints the lines."
            )
        }
        return .success
    }

    private static let showKeys = Command(
        "show", summary: "Print public keys, and what goes into Info.plist",
        examples: [
            .init("ba-package keys show a.pem b.pem", "prints both keys and the lines for an app that takes either"),
            .init(
                "ba-package keys show release.pem --root root.pem",
                "prints the lines for an app that follows the root key to other keys"),
        ],
        options: [
            .repeatable(
                "root", "key", "A root key, which hands over to other keys: a file, or its text.", completion: .file),
            .json,
        ],
        arguments: [
            CommandArgument("keys", "Key files, or public keys as text.", isRepeating: true, completion: .file)
        ]
    ) { arguments, context in
        let names = arguments.arguments("keys")
        let rootNames = arguments.values("root")
        let keys = try await SigningSupport.publicKeys(names, context)
        let roots = try await SigningSupport.publicKeys(rootNames, context)
        for (name, key) in zip(names + rootNames, keys + roots) {
            if context.json {
                context.print(json: ["file": .string(name), "publicKey": .string(key.text)])
            } else {
                context.print("\(name): \(key.text)")
            }
        }
        if !context.json {
            context.print("For the app's Info.plist:")
            context.print(try propertyList(keys, roots: roots))
        }
        return .success
    }

    /// - Parameter roots: the root keys; none: `keys` are.
    private static func propertyList(_ keys: [Ed25519PublicKey], roots: [Ed25519PublicKey] = []) throws -> String {
        let role = try ManifestKeyRole(keys: keys)
        let root = roots.isEmpty ? role : try ManifestKeyRole(keys: roots)
        return SigningSupport.propertyList(ManifestKeySet(version: 1, app: "", root: root, manifest: role))
    }

    private static let rotateKeys = Command(
        "rotate", summary: "Have installed apps follow a change of keys",
        discussion: """
            Adds a set of keys to the manifest, signed by the root keys of the set before it and of its own. Apps that have the \
            old keys go over to it when they see it; a key that is not named any more counts for nothing. What is not given stays \
            as it was; in an app without root keys of their own, those that sign manifests are the root keys, too. \
            The manifest is to be signed again with the new keys. Its sets of keys stay in it for good: they are the \
            way from the oldest app to the newest keys.
            """,
        examples: [
            .init(
                "ba-package keys rotate Linux.json --bundle Game.app --sign-with old.pem --sign-with new.pem "
                    + "--with new.pem",
                "replaces the only key by new.pem"),
            .init(
                "ba-package keys rotate Linux.json --bundle Game.app --sign-with root.pem --with new.pem "
                    + "--generation-from next",
                "drops a key that was stolen, and whatever generations were signed with it"),
        ],
        options: [
            SigningSupport.bundle,
            .repeatable(
                "sign-with", "file", "A private root key, of the old set or the new one; give all that are needed.",
                completion: .file),
            .repeatable(
                "with", "key", "A key that signs manifests from now on: a file, or its text.", completion: .file),
            .value("threshold", "n", "How many of them have to sign."),
            .repeatable("root", "key", "A root key from now on: a file, or its text.", completion: .file),
            .value("root-threshold", "n", "How many of them have to sign a change of keys."),
            .value(
                "generation-from", "n",
                "Where generations begin anew: a number, or 'next' for the one after the manifest's. For a key "
                    + "that somebody else had."
            ),
            .value("expires", "time", "When the set is no longer believed, such as 365d; without it, never."),
            PackSupport.replacementOutput, PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let path = try PackSupport.manifestPath(arguments, context)
        var manifest = try await SigningSupport.manifest(path)
        let old: ManifestKeySet
        if let last = manifest.keySets.last {
            old = try ManifestKeySet(last)
        } else if let bundle = arguments.value("bundle") {
            old = try await SigningSupport.anchor(bundle, context)
        } else {
            throw UsageError("The manifest has no keys yet: give --bundle <Name.app>, the app that has the first ones.")
        }
        guard manifest.keySets.count < SignedManifest.maximumKeySetCount else {
            throw AssetPackError(
                .invalidArgument,
                "The manifest has \(manifest.keySets.count) sets of keys, and takes no more. Publish an update of "
                    + "the app with its "
                    + "newest keys, and begin a manifest without sets.")
        }
        let signers = try await SigningSupport.privateKeys(arguments.values("sign-with"), context)
        let next = try await successor(of: old, manifest, arguments, context)
        guard
            next.root != old.root || next.manifest != old.manifest || next.generationFrom != nil
                || next.expires != old.expires
        else {
            throw UsageError(
                "Nothing would change: give the new keys by --with or --root, or another threshold, --expires or "
                    + "--generation-from. A set of keys stays in the manifest for good.")
        }
        try manifest.append(next, signedBy: signers)
        do throws(any Error) {
            _ = try old.successor(manifest.keySets.last ?? .null)
        } catch {
            let known = signers.map(\.publicKey)
            throw UsageError(
                "Not enough root keys signed: \(missing(old.root, known)) of the old set and "
                    + "\(missing(next.root, known)) of "
                    + "the new one. Give each with --sign-with.")
        }
        try await PackSupport.write(
            Array(manifest.document.serialized(.pretty).utf8), arguments, context, replacing: path)
        if !arguments.flag("quiet") {
            let written = PackSupport.replaced(path, arguments, context)
            context.print("\(PackSupport.printable(written.string)): keys of \(next.app), version \(next.version)")
            context.print("For the Info.plist of its next version:")
            context.print(SigningSupport.propertyList(next))
            context.note("note: the manifest has no signature now; sign it with `ba-package sign`.")
        }
        return .success
    }

    private static func missing(_ role: ManifestKeyRole, _ signers: [Ed25519PublicKey]) -> String {
        "\(role.keys.filter { signers.contains($0) }.count) of \(role.threshold)"
    }

    private static func successor(
        of old: ManifestKeySet, _ manifest: SignedManifest, _ arguments: ParsedArguments, _ context: CommandContext
    ) async throws -> ManifestKeySet {
        func role(_ old: ManifestKeyRole, _ option: String, _ threshold: String) async throws -> ManifestKeyRole {
            let keys = try await SigningSupport.publicKeys(arguments.values(option), context)
            let count = try arguments.integer(threshold, in: 1...ManifestKeyRole.maximumKeyCount)
            let (all, wanted) = (keys.isEmpty ? old.keys : keys, count ?? (keys.isEmpty ? old.threshold : 1))
            if let problem = ManifestKeyRole.problem(all, threshold: wanted) {
                throw UsageError("The set \(problem). Give other keys by --\(option), or another --\(threshold).")
            }
            return try ManifestKeyRole(keys: all, threshold: wanted)
        }
        let signing = try await role(old.manifest, "with", "threshold")
        let root =
            old.root == old.manifest && arguments.values("root").isEmpty
            ? signing : try await role(old.root, "root", "root-threshold")
        var generation: Int64?
        if let text = arguments.value("generation-from") {
            let last = try manifest.publication?.generation ?? -1
            guard let number = text == "next" ? last + 1 : Int64(text), number >= 0 else {
                throw UsageError("--generation-from needs a whole number from 0 on or 'next', not \"\(text)\".")
            }
            guard number <= CanonicalJSON.largestInteger else {
                throw UsageError(
                    "No generation is higher than \(CanonicalJSON.largestInteger). Give --generation-from a lower number to "
                        + "begin anew from, such as 1, and the new set another key than the one that signed so far.")
            }
            generation = number
        }
        return ManifestKeySet(
            version: old.version + 1, app: old.app, root: root, manifest: signing, generationFrom: generation,
            expires: try arguments.value("expires").map { try SigningSupport.end($0, now: .now) })
    }
}
