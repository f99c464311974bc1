// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Crypto
import Kit
import System

/// What the commands around signed manifests share.
enum SigningSupport {
    /// No key is larger, in bytes.
    private static let maximumKeySize = 64 << 10

    static let platforms = AssetPackPlatform.allCases.map {
        CommandOption.flag($0.optionName, "The manifest is for \($0.rawValue); may stand with others.")
    }
    static let key = CommandOption.repeatable(
        "key", short: "k", "file", "A private key to sign with, in PEM; give it again for several.", completion: .file)
    static let bundle = CommandOption.value(
        "bundle", "Name.app", "The app, whose Info.plist has the keys.", completion: .directory)

    static func read(_ path: FilePath, _ what: String, limit: Int) throws -> [UInt8] {
        do {
            return try File.read(path, limit: limit)
        } catch Errno.noSuchFileOrDirectory {
            throw AssetPackError(.notFound, "There is no \(what) at \"\(path)\".")
        } catch {
            throw AssetPackError(.io, "Could not read the \(what) \"\(path)\": \(error.clause).")
        }
    }

    /// The keys in those files. What others could read is said.
    static func privateKeys(_ names: [String], _ context: CommandContext) async throws -> [Ed25519PrivateKey] {
        let keys = try await offload {
            try names.map { name in
                let path = context.resolve(name)
                let pem = try read(path, "key", limit: maximumKeySize)
                guard let key = try? Ed25519PrivateKey(pem: pem) else {
                    throw AssetPackError(
                        .verification,
                        "\"\(name)\" is no private Ed25519 key in PEM without password. `ba-package keys create` "
                            + "makes one."
                    )
                }
                let open: FilePermissions = [.groupRead, .groupWrite, .otherRead, .otherWrite]
                if let status = try? FileDescriptor.currentDirectory.status(at: path),
                    !status.permissions.isDisjoint(with: open)
                {
                    context.note("warning: other users can read or write the key \"\(name)\"; run `chmod 600` on it.")
                }
                return key
            }
        }
        // One key signs once, however often it is given.
        var seen: Set<String> = []
        return keys.filter { seen.insert($0.publicKey.text).inserted }
    }

    /// Public keys, each as text or as a file with either half of it.
    static func publicKeys(_ names: [String], _ context: CommandContext) async throws -> [Ed25519PublicKey] {
        try await offload {
            try names.map { name in
                if let key = Ed25519PublicKey(text: name) { return key }
                guard !name.hasPrefix("ed25519:") else {
                    throw AssetPackError(.invalidArgument, "\"\(name)\" is no public key. Copy it once more.")
                }
                let pem = try read(context.resolve(name), "key", limit: maximumKeySize)
                if let key = try? Ed25519PrivateKey(pem: pem) { return key.publicKey }
                guard let key = try? Ed25519PublicKey(pem: pem) else {
                    throw AssetPackError(.verification, "\"\(name)\" holds no Ed25519 key in PEM.")
                }
                return key
            }
        }
    }

    static func manifest(_ path: FilePath) async throws -> SignedManifest {
        try await offload {
            try SignedManifest(
                try read(path, "manifest", limit: DownloadManifest.maximumSize + 1), source: path.string)
        }
    }

    /// The app's id and keys.
    static func anchor(_ name: String, _ context: CommandContext) async throws -> ManifestKeySet {
        let path = context.resolve(name)
        let bundle = try await offload { try AppBundleReader.bundle(at: path) }
        guard let keys = bundle.backgroundAssets.manifestKeys else {
            throw AssetPackError(
                .invalidArgument,
                "\(name) takes unsigned manifests: its Info.plist has no LarderManifestKeys. `ba-package keys "
                    + "show` prints them."
            )
        }
        return keys.keySet(app: bundle.identifier)
    }

    /// `30d`, `12h` or a time, from `now` on.
    static func end(_ text: String, now: Timestamp) throws -> Timestamp {
        let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (1...100_000).contains(count)
        {
            return Timestamp(seconds: now.seconds + count * unit)
        }
        guard let end = Timestamp(rfc3339: text) else {
            throw UsageError("\"\(text)\" is no time. Write 12h, 30d, 8w or 2030-01-31T00:00:00Z.")
        }
        guard end > now else { throw UsageError("\(text) is over already. Name a time to come.") }
        return Timestamp(seconds: end.seconds)
    }

    /// What goes into the app's Info.plist for those keys.
    static func propertyList(_ keys: ManifestKeySet) -> String {
        func array(_ role: ManifestKeyRole) -> String {
            "<array>" + role.keys.map { "<string>\($0.text)</string>" }.joined() + "</array>"
        }
        var lines = ["<key>LarderManifestKeys</key>", "<dict>"]
        lines.append("  <key>Version</key><integer>\(keys.version)</integer>")
        lines.append("  <key>Keys</key>\(array(keys.manifest))")
        lines.append("  <key>Threshold</key><integer>\(keys.manifest.threshold)</integer>")
        if keys.root != keys.manifest {
            lines.append("  <key>RootKeys</key>\(array(keys.root))")
            lines.append("  <key>RootThreshold</key><integer>\(keys.root.threshold)</integer>")
        }
        if let generation = keys.generationFrom {
            lines.append("  <key>GenerationFrom</key><integer>\(generation)</integer>")
        }
        return (lines + ["</dict>"]).joined(separator: "\n")
    }
}
