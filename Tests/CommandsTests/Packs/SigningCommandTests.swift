// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import Kit
import System
import TestSupport
import Testing

@testable import Commands

/// Keys and signatures on the command line.
struct SigningCommandTests {
    private func with(_ body: (Scratch, PackShell) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let shell = PackShell(scratch: scratch)
            try shell.writeTree()
            #expect(await shell("M.json", "-o", "A.aar", "-q").code == .success)
            #expect(
                await shell(
                    "download-manifest", "create", "A.aar", "--linux", "--download-base-url", "https://h", "-o",
                    "D.json",
                    "-q"
                ).code == .success)
            #expect(await shell("keys", "create", "-o", "a.pem", "-q").code == .success)
            try await body(scratch, shell)
        }
    }

    /// An app whose Info.plist has what `keys show` printed.
    private func bundle(_ scratch: Scratch, _ shell: PackShell, _ keys: String...) async throws {
        let shown = await shell(["keys", "show"] + keys).output
        let start = try #require(shown.firstRange(of: "<dict>"))
        var fixture = AppFixture()
        fixture.keys = AppFixture.managedKeys(manifestURL: "https://localhost/manifest")
        fixture.keys["LarderManifestKeys"] = String(shown[start.lowerBound...])
        _ = try fixture.write(in: scratch.path)
    }

    @Test func keysAreFilesOfTheirOwnerAlone() async throws {
        try await with { scratch, shell in
            let made = await shell("keys", "create", "-o", "b.pem")
            #expect(made.code == .success)
            #expect(made.output.contains("b.pem: ed25519:"))
            #expect(made.output.contains("<key>LarderManifestKeys</key>"))
            let status = try FileDescriptor.currentDirectory.status(at: scratch("b.pem"))
            #expect(status.permissions == .ownerReadWrite)
            let text = String(decoding: try File.read(scratch("b.pem")), as: UTF8.self)
            #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
            let key = try Ed25519PrivateKey(pem: Array(text.utf8))
            #expect(await shell("keys", "show", "b.pem").output.contains(key.publicKey.text))
            // Nothing is overwritten.
            #expect(await shell("keys", "create", "-o", "b.pem").code == .failure)
            #expect(try File.read(scratch("b.pem")) == Array(text.utf8))
            #expect(await shell("keys", "create").code == .usage)
            let json = try JSONParser.parse(await shell("keys", "show", "b.pem", "--json").output).value
            #expect(json["publicKey"]?.stringValue == key.publicKey.text)
        }
    }

    @Test func rootKeysAreShownAsSuch() async throws {
        try await with { scratch, shell in
            let made = await shell("keys", "create", "-o", "root.pem")
            #expect(made.output.contains("`ba-package keys show <signing key> --root root.pem` prints the lines.\n"))
            let shown = await shell("keys", "show", "a.pem", "--root", "root.pem").output
            let root = try Ed25519PrivateKey(pem: try File.read(scratch("root.pem"))).publicKey.text
            let key = try Ed25519PrivateKey(pem: try File.read(scratch("a.pem"))).publicKey.text
            #expect(shown.contains("<key>Keys</key><array><string>\(key)</string></array>"))
            #expect(shown.contains("<key>RootKeys</key><array><string>\(root)</string></array>"))
            #expect(shown.contains("<key>RootThreshold</key><integer>1</integer>"))
            #expect(shown.contains("root.pem: \(root)\n"))
            #expect(!(await shell("keys", "show", "a.pem").output.contains("RootKeys")))
        }
    }

    @Test func signedManifestsAreVerifiedAndChangedOnesAreNot() async throws {
        try await with { scratch, shell in
            try await bundle(scratch, shell, "a.pem")
            let unsigned = await shell("verify-manifest", "D.json", "--bundle", "Game.app")
            #expect(unsigned.code == .refused)
            #expect(unsigned.errors.contains("not signed"))
            #expect(await shell("sign", "D.json", "--key", "a.pem").code == .usage)
            #expect(await shell("sign", "D.json", "--app", "org.example.game", "--linux").code == .usage)
            let first = await shell("sign", "D.json", "--key", "a.pem", "--app", "org.example.game", "--linux")
            #expect(first.code == .success, "\(first.errors)")
            #expect(first.output.contains("generation 1 of org.example.game for Linux"))
            #expect(await shell("verify-manifest", "D.json", "--bundle", "Game.app").code == .success)
            let seen = await shell("verify-manifest", "D.json", "--bundle", "Game.app", "--least-generation", "2")
            #expect(seen.code == .refused)
            // Later signatures know whose it is.
            let second = await shell("sign", "D.json", "--key", "a.pem", "--expires", "12h", "--json")
            let json = try JSONParser.parse(second.output).value
            #expect(json["publication"]?["generation"] == 2)
            #expect(await shell("sign", "D.json", "--key", "a.pem", "--generation", "1").code == .usage)
            let other = await shell("verify-manifest", "D.json", "--bundle", "Game.app", "--platform", "iOS", "--json")
            #expect(other.code == .refused)
            #expect(try JSONParser.parse(other.output).value["reason"] == "subject")
            // What devices without keys read is as it was.
            #expect(try DownloadManifest.read(scratch("D.json")).assetPacks.map(\.id) == ["Tutorial"])
            // A change takes the signatures away, and says so; the next signature goes on counting.
            let update = await shell("download-manifest", "update", "D.json", "--asset-pack-paths", "A.aar", "--linux")
            #expect(update.errors.contains("signatures are gone"))
            #expect(await shell("verify-manifest", "D.json", "--bundle", "Game.app").code == .refused)
            #expect(await shell("sign", "D.json", "--key", "a.pem").output.contains("generation 3"))
            let text = String(decoding: try File.read(scratch("D.json")), as: UTF8.self)
            try scratch.write(text.replacing("\"version\": 1", with: "\"version\": 0"), to: "E.json")
            #expect(await shell("verify-manifest", "E.json", "--bundle", "Game.app").code == .refused)
        }
    }

    @Test func aChangeOfKeysIsFollowed() async throws {
        try await with { scratch, shell in
            try await bundle(scratch, shell, "a.pem")
            for name in ["b.pem", "c.pem"] { #expect(await shell("keys", "create", "-o", name, "-q").code == .success) }
            _ = await shell("sign", "D.json", "--key", "a.pem", "--app", "org.example.game", "--linux")
            let alone = await shell(
                "keys", "rotate", "D.json", "--bundle", "Game.app", "--sign-with", "a.pem", "--with", "b.pem")
            #expect(alone.code == .usage)
            #expect(alone.errors.contains("0 of 1"))
            let rotated = await shell(
                "keys", "rotate", "D.json", "--bundle", "Game.app", "--sign-with", "a.pem", "--sign-with", "b.pem",
                "--with",
                "b.pem", "--generation-from", "next")
            #expect(rotated.code == .success, "\(rotated.errors)")
            #expect(rotated.output.contains("<key>Version</key><integer>2</integer>"))
            #expect(rotated.output.contains("<key>GenerationFrom</key><integer>2</integer>"))
            #expect(await shell("sign", "D.json", "--key", "a.pem").errors.contains("version 2 of the keys"))
            #expect(await shell("sign", "D.json", "--key", "b.pem", "-q").code == .success)
            let verified = await shell("verify-manifest", "D.json", "--bundle", "Game.app")
            #expect(verified.output.contains("by version 2 of the keys"), "\(verified.errors)")
            // The next one goes on from there, and needs no app.
            let third = await shell(
                "keys", "rotate", "D.json", "--sign-with", "b.pem", "--root", "c.pem", "--sign-with", "c.pem", "-q")
            #expect(third.code == .success, "\(third.errors)")
            #expect(await shell("sign", "D.json", "--key", "b.pem", "-q").code == .success)
            #expect(
                await shell("verify-manifest", "D.json", "--bundle", "Game.app").output.contains(
                    "version 3 of "
                        + "the keys"))
        }
    }

    @Test func severalPeopleSign() async throws {
        try await with { scratch, shell in
            #expect(await shell("keys", "create", "-o", "b.pem", "-q").code == .success)
            _ = await shell("sign", "D.json", "--key", "a.pem", "--app", "org.example.game", "--linux", "-o", "S.json")
            #expect(try SignedManifest(File.read(scratch("S.json")), source: "S").signatures.count == 1)
            #expect(await shell("sign", "D.json", "--key", "b.pem", "--co-sign").errors.contains("nobody has signed"))
            #expect(await shell("sign", "S.json", "--key", "b.pem", "--co-sign", "-q").code == .success)
            let signed = try SignedManifest(File.read(scratch("S.json")), source: "S")
            #expect(try signed.signatures.count == 2)
            #expect(try signed.publication?.generation == 1)
            for name in ["a.pem", "b.pem"] {
                let verified = await shell(
                    "verify-manifest", "S.json", "--trust", name, "--app", "org.example.game")
                #expect(verified.code == .success, "\(verified.errors)")
            }
        }
    }

    /// What would be signed, or would stay in the manifest for good, without anybody having meant it.
    @Test func whatCannotBeMeantIsRefused() async throws {
        try await with { scratch, shell in
            for app in ["bad app", "", "a..b"] {
                let wrong = await shell("sign", "D.json", "--key", "a.pem", "--app", app, "--linux")
                #expect(wrong.code == .usage && wrong.errors.contains("is no bundle id"), "\(wrong.errors)")
            }
            let channel = await shell(
                "sign", "D.json", "--key", "a.pem", "--app", "org.example.game", "--linux", "--channel", "")
            #expect(channel.code == .usage && channel.errors.contains("--channel needs a name"))
            let signed = await shell(
                "sign", "D.json", "--key", "a.pem", "--key", "a.pem", "--app", "org.example.game", "--linux", "-o",
                "S.json")
            #expect(signed.code == .success && signed.output.contains("S.json: generation 1"), "\(signed.output)")
            #expect(try SignedManifest(File.read(scratch("S.json")), source: "S").signatures.count == 1)
            for option in [
                ["--expires", "90d"], ["--generation", "99"], ["--app", "a.b"], ["--channel", "x"], ["--linux"],
            ] {
                let wrong = await shell(["sign", "S.json", "--key", "a.pem", "--co-sign"] + option)
                #expect(wrong.code == .usage && wrong.errors.contains("leave \(option[0]) out"), "\(wrong.errors)")
            }
            try await bundle(scratch, shell, "a.pem")
            let same = await shell("keys", "rotate", "S.json", "--bundle", "Game.app", "--sign-with", "a.pem")
            #expect(same.code == .usage && same.errors.contains("Nothing would change"), "\(same.errors)")
        }
    }

    /// A file that is no key is bad input, and what cannot be meant a usage error.
    @Test func exitCodesTellWhatIsWrong() async throws {
        try await with { scratch, shell in
            try scratch.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "broken.pem")
            let broken = await shell("sign", "D.json", "--key", "broken.pem", "--app", "org.example.game", "--linux")
            #expect(broken.code == .badInput, "\(broken.errors)")
            _ = await shell("sign", "D.json", "--key", "a.pem", "--app", "org.example.game", "--linux")
            let nowhere = await shell("verify-manifest", "D.json", "--bundle", "nowhere.app")
            #expect(nowhere.code == .notFound && nowhere.errors.contains("no app bundle at nowhere.app"), "\(nowhere)")
            try await bundle(scratch, shell, "a.pem")
            let many = await shell(
                "keys", "rotate", "D.json", "--bundle", "Game.app", "--sign-with", "a.pem", "--threshold", "2")
            #expect(many.code == .usage && many.errors.contains("wants 2 signatures of 1 key"), "\(many)")
        }
    }

    @Test func aSignatureThatIsMissingIsToldAsThat() async throws {
        try await with { scratch, shell in
            #expect(await shell("keys", "create", "-o", "b.pem", "-q").code == .success)
            _ = await shell("sign", "D.json", "--key", "a.pem", "--app", "org.example.game", "--linux")
            try await bundle(scratch, shell, "a.pem")
            let high = await shell(
                "keys", "rotate", "D.json", "--bundle", "Game.app", "--sign-with", "a.pem", "--generation-from",
                "9007199254740992")
            #expect(high.code == .usage && high.errors.contains("No generation is higher than 9007199254740991"))
            let rotated = await shell(
                "keys", "rotate", "D.json", "--bundle", "Game.app", "--sign-with", "a.pem", "--sign-with", "b.pem",
                "--with", "a.pem", "--with", "b.pem", "--threshold", "2")
            #expect(rotated.code == .success, "\(rotated.errors)")
            #expect(await shell("sign", "D.json", "--key", "a.pem", "-q").code == .success)
            let one = await shell("verify-manifest", "D.json", "--bundle", "Game.app")
            #expect(one.code == .refused)
            #expect(
                one.errors.contains("has 1 of the 2 signatures") && one.errors.contains("`ba-package sign --co-sign`"))
            #expect(await shell("sign", "D.json", "--key", "b.pem", "--co-sign", "-q").code == .success)
            #expect(await shell("verify-manifest", "D.json", "--bundle", "Game.app").code == .success)
        }
    }

    @Test func wrongInputIsToldInPlainWords() async throws {
        try await with { scratch, shell in
            try scratch.write("no key", to: "x.pem")
            let key = await shell("sign", "D.json", "--key", "x.pem", "--app", "a.b", "--linux")
            #expect(key.code == .badInput && key.errors.contains("ba-package keys create"))
            #expect(await shell("sign", "D.json", "--key", "none.pem", "--app", "a.b", "--linux").code == .notFound)
            #expect(await shell("sign", "N.json", "--key", "a.pem", "--app", "a.b", "--linux").code == .notFound)
            for expiry in ["soon", "0d", "2001-01-01T00:00:00Z"] {
                let wrong = await shell(
                    "sign", "D.json", "--key", "a.pem", "--app", "a.b", "--linux", "--expires", expiry)
                #expect(wrong.code == .usage, "\(expiry)")
            }
            // What packs are made from stays as it is.
            let made = await shell("sign", "M.json", "--key", "a.pem", "--app", "a.b", "--linux")
            #expect(made.code == .badInput && made.errors.contains("M.json says what goes into a pack"), "\(made)")
            #expect(try File.read(scratch("M.json")) == Array(PackShell.manifest.utf8))
            // A pack that could be exchanged is not signed.
            let text = String(decoding: try File.read(scratch("D.json")), as: UTF8.self)
            try scratch.write(text.replacing("\"larder\"", with: "\"other\""), to: "D.json")
            let open = await shell("sign", "D.json", "--key", "a.pem", "--app", "a.b", "--linux")
            #expect(open.code == .refused && open.errors.contains("no digest"))
        }
    }
}
