// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Crypto
import Kit
import System

extension PackCommands {
    static let sign = Command(
        "sign", summary: "Sign a manifest",
        discussion: """
            Says in the manifest whose it is, which in a row and until when it is good, and signs all of it. Apps with \
            LarderManifestKeys take no other. App, platforms and channel are taken over from the last time, and the generation \
            rises by one. Sign again before the manifest expires, also when nothing has changed. Apple's devices go \
            on reading the file. A manifest without assetPacks, for an app that chooses its downloads itself, is signed as it is.
            """,
        examples: [
            .init(
                "ba-package sign Linux.json --key release.pem --app com.example.game --linux --expires 30d",
                "signs it for the first time"),
            .init(
                "ba-package sign Linux.json --key release.pem", "signs it again, after a change or for another month"),
        ],
        options: [
            SigningSupport.key, .value("app", "id", "The app's bundle id."),
            .value("channel", "name", "The channel of a hosting service, if the manifest is one's."),
            .value(
                "expires", "time", "Until when it is good: such as 12h, 30d or 2030-01-31T00:00:00Z.", default: "30d"),
            .value("generation", "n", "Which in a row: a number, or 'next'.", default: "next"),
            .flag("co-sign", "Add a signature to those there are, and change nothing else."),
        ] + SigningSupport.platforms + [
            PackSupport.replacementOutput, .json, PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let path = try PackSupport.manifestPath(arguments, context)
        guard !arguments.values("key").isEmpty else {
            throw UsageError("No key to sign with: give --key <file>. `ba-package keys create` makes one.")
        }
        var manifest = try await SigningSupport.manifest(path)
        guard manifest.document["assetPackID"] == nil || manifest.document["fileSelectors"] == nil else {
            throw AssetPackError(
                .invalidDownloadManifest,
                "\(path) says what goes into a pack; devices never see it. Sign the download manifest that lists the pack: "
                    + "`ba-package download-manifest create` makes one.")
        }
        if manifest.document["assetPacks"] != nil {
            try await offload { try DownloadManifest.read(path) }.requireCoverage()
        }
        let keys = try await SigningSupport.privateKeys(arguments.values("key"), context)
        if let last = try manifest.keySets.last.map({ try ManifestKeySet($0) }) {
            for key in keys where !last.manifest.keys.contains(key.publicKey) {
                throw AssetPackError(
                    .invalidArgument,
                    "\(key.publicKey.text) does not sign manifests of \(last.app): it is not in version "
                        + "\(last.version) of the keys."
                )
            }
        }
        let publication: ManifestPublication
        if arguments.flag("co-sign") {
            try refuseChanges(arguments)
            guard manifest.isSigned, let present = try manifest.publication else {
                throw AssetPackError(.invalidArgument, "\(path): nobody has signed it yet; leave --co-sign out.")
            }
            publication = present
            try manifest.addSignatures(of: keys)
        } else {
            publication = try newPublication(arguments, before: try manifest.publication)
            try manifest.sign(publication, with: keys)
        }
        try await PackSupport.write(
            Array(manifest.document.serialized(.pretty).utf8), arguments, context, replacing: path)
        let signers = try manifest.signatures.map(\.key.text)
        if context.json {
            context.print(
                json: ["publication": publication.json, "signatures": .array(signers.map { .string($0) })])
        } else if !arguments.flag("quiet") {
            let written = PackSupport.replaced(path, arguments, context)
            context.print(
                "\(PackSupport.printable(written.string)): \(described(publication)), signed by "
                    + signers.joined(separator: " and "))
        }
        return .success
    }

    /// What is said in the manifest was signed by others already.
    private static func refuseChanges(_ arguments: ParsedArguments) throws {
        let values = ["app", "channel", "expires", "generation"].filter { !arguments.values($0).isEmpty }
        let flags = AssetPackPlatform.allCases.map(\.optionName).filter(arguments.flag)
        guard let name = (values + flags).first else { return }
        throw UsageError(
            "--co-sign adds a signature to what others have signed and changes nothing of it: leave --\(name) out, or "
                + "--co-sign.")
    }

    private static func described(_ publication: ManifestPublication) -> String {
        "generation \(publication.generation) of \(publication.app) for "
            + "\(publication.platforms.joined(separator: ", "))"
            + (publication.channel.map { " in \($0)" } ?? "")
            + ", good until \(ManifestPublication.text(of: publication.expires))"
    }

    private static func newPublication(
        _ arguments: ParsedArguments, before: ManifestPublication?
    ) throws -> ManifestPublication {
        guard let app = arguments.value("app") ?? before?.app else {
            throw UsageError("Whose manifest is it? Give --app <bundle id>; later signatures know.")
        }
        guard BundleBasics.isIdentifier(app) else {
            throw UsageError(
                "\"\(app)\" is no bundle id. Give --app up to 155 letters, digits, hyphens and single dots, such as "
                    + "com.example.game.")
        }
        if arguments.value("channel")?.isEmpty == true {
            throw UsageError("--channel needs a name; leave it out for a manifest that is no hosting service's.")
        }
        let platforms = AssetPackPlatform.allCases.filter { arguments.flag($0.optionName) }.map(\.rawValue)
        guard let names = platforms.isEmpty ? before?.platforms : platforms else {
            let options = AssetPackPlatform.allCases.map { "--\($0.optionName)" }.joined(separator: ", ")
            throw UsageError("A platform is missing: give one or more of \(options); later signatures know.")
        }
        let now = Timestamp(seconds: Timestamp.now.seconds)
        return ManifestPublication(
            app: app, platforms: names, channel: arguments.value("channel") ?? before?.channel,
            generation: try generation(arguments.value("generation") ?? "next", before: before?.generation),
            signed: now,
            expires: try SigningSupport.end(arguments.value("expires") ?? "30d", now: now))
    }

    private static func generation(_ text: String, before: Int64?) throws -> Int64 {
        guard text != "next" else {
            guard let before else { return 1 }
            guard before < CanonicalJSON.largestInteger else {
                throw UsageError(
                    "There is no generation after \(before). Begin anew with `ba-package keys rotate "
                        + "--generation-from`."
                )
            }
            return before + 1
        }
        guard let number = Int64(text), (0...CanonicalJSON.largestInteger).contains(number) else {
            throw UsageError("--generation needs a whole number from 0 on or 'next', not \"\(text)\".")
        }
        if let before, number < before {
            throw UsageError(
                "The manifest is of generation \(before) already, and devices that saw it refuse \(number). Give "
                    + "a higher number, or 'next'."
            )
        }
        return number
    }

    static let verifyManifest = Command(
        "verify-manifest", summary: "Check a signed manifest as a device does",
        discussion: """
            Goes from the keys in the app's Info.plist over the sets of keys in the manifest to its signatures, and looks at the app, \
            the platform, the channel, the generation and the time. Ends with exit code 7 when a device would refuse it.
            """,
        examples: [
            .init("ba-package verify-manifest Linux.json --bundle Game.app", "checks it for the app"),
            .init(
                "ba-package verify-manifest Linux.json --bundle Game.app --least-generation 12",
                "checks it for devices that have seen generation 12"),
        ],
        options: [
            SigningSupport.bundle,
            .repeatable(
                "trust", "key", "A key to check with in place of an app's: a file, or its text. Needs --app.",
                completion: .file),
            .value("app", "id", "The app's bundle id, with --trust."),
            .value(
                "platform", "name", "The device's platform.", default: AssetPackPlatform.linux.rawValue,
                completion: .choices(AssetPackPlatform.allCases.map(\.rawValue))),
            .value("channel", "name", "The channel that the device follows."),
            .value("least-generation", "n", "What the device has seen already."), .json, PackSupport.quiet,
        ],
        arguments: [CommandArgument("manifest", "The manifest, a .json file.", completion: .file)]
    ) { arguments, context in
        let path = try PackSupport.manifestPath(arguments, context)
        let manifest = try await SigningSupport.manifest(path)
        let anchor = try await anchor(arguments, context)
        let names = AssetPackPlatform.allCases.map(\.rawValue)
        let name = try arguments.choice("platform", of: names) ?? AssetPackPlatform.linux.rawValue
        let verifier = ManifestVerifier(
            anchor: anchor, platform: AssetPackPlatform(rawValue: name) ?? .linux, channel: arguments.value("channel"),
            now: .now)
        var remembered = ManifestTrust(anchor: anchor)
        if let least = try arguments.integer("least-generation") { remembered.leastGeneration = Int64(least) }
        let verdict = verifier.verify(manifest, remembered: remembered)
        do throws(any Error) {
            if let refusal = verdict.refusal { throw refusal }
            if manifest.document["assetPacks"] != nil {
                try await offload { try DownloadManifest.read(path) }.requireCoverage()
            }
        } catch let refusal as ManifestRefusal {
            guard context.json else { throw refusal }
            context.print(json: [
                "good": false, "reason": .string(refusal.reason.rawValue), "message": .string(refusal.message),
            ])
            return refusal.exitCode
        }
        guard let publication = try manifest.publication else { return .failure }
        if context.json {
            context.print(json: [
                "good": true, "publication": publication.json, "keysVersion": .integer(verdict.trust.keySet.version),
            ])
        } else if !arguments.flag("quiet") {
            context.print(
                "\(PackSupport.printable(path.string)): good; \(described(publication)), by version "
                    + "\(verdict.trust.keySet.version) of the keys")
        }
        return .success
    }

    private static func anchor(_ arguments: ParsedArguments, _ context: CommandContext) async throws -> ManifestKeySet {
        let trusted = arguments.values("trust")
        if let bundle = arguments.value("bundle") {
            guard trusted.isEmpty else { throw UsageError("Give --bundle or --trust, not both.") }
            return try await SigningSupport.anchor(bundle, context)
        }
        guard !trusted.isEmpty, let app = arguments.value("app") else {
            throw UsageError("Whose keys count? Give --bundle <Name.app>, or --trust <key> with --app <bundle id>.")
        }
        let role = try ManifestKeyRole(keys: try await SigningSupport.publicKeys(trusted, context))
        return ManifestKeySet(version: 1, app: app, root: role, manifest: role)
    }
}
