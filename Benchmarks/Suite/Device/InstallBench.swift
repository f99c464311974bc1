// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Crypto
import DeviceProtocol
import HTTP
import Kit
import System
import TestSupport

/// A tree as a pack and as a tar, both behind one https server, and an app that has the pack as its essential one.
final class InstallBench: Sendable {
    let folder: FilePath
    let authority: FilePath
    let installedSize: Int64
    private let server: HTTPServer
    private let larderd: FilePath

    /// - Parameters:
    ///   - tree: what is packed; it stays as it is.
    ///   - folder: where pack, tar and installs go.
    init(tree: FilePath, larderd: FilePath, folder: FilePath, compression: Compression) throws {
        self.folder = folder
        self.larderd = larderd
        let here = FileDescriptor.currentDirectory
        let pack = folder.appending("Tree.aar")
        let tar = folder.appending("tree.tar.gz")
        let contents = try Self.pack(tree, to: pack, compression, in: folder)
        installedSize = contents.installedSize
        if !here.exists(at: tar) {
            let made = try ChildProcess.run(
                executable: "bsdtar", arguments: ["-czf", tar.string, "-C", tree.string, "."])
            guard made.exitCode == 0 else { throw BenchmarkError(made.errorText) }
        }
        let development = try DevelopmentAuthority(folder: folder.appending("authority"))
        authority = development.certificateFile
        let configuration = HTTPServerConfiguration(
            host: "localhost", identity: try development.identity(hosts: ["localhost"]))
        let files = [
            "/assets/Tree": FileAnswer(
                file: try ServedFile(pack), size: contents.archiveSize, etag: "\"tree\"",
                contentType: "application/octet-stream"),
            "/tree.tar.gz": FileAnswer(
                file: try ServedFile(tar), size: try here.status(at: tar).size, etag: "\"tar\"",
                contentType: "application/octet-stream"),
        ]
        server = try HTTPServer(configuration) { request in
            if let file = files[request.path] { return file.response(to: request) }
            guard request.path == "/manifest", let host = request.headers["Host"],
                let builder = try? DownloadManifestBuilder(platform: .linux, baseURL: "https://\(host)/assets"),
                let manifest = try? builder.create([contents])
            else { return .text(404, "not here") }
            return .json(manifest.serialized)
        }
    }

    func stop() { server.stop() }

    private static func pack(
        _ tree: FilePath, to archive: FilePath, _ compression: Compression, in folder: FilePath
    ) throws -> PackContents {
        let policy = #"{ "essential": { "installationEventTypes": ["firstInstallation", "subsequentUpdate"] } }"#
        let manifest = folder.appending("Tree.json")
        let text =
            #"{ "assetPackID": "Tree", "downloadPolicy": \#(policy), "platforms": ["Linux"], "fileSelectors": [ "#
            + #"{ "filePattern": "**" } ] }"#
        try AtomicFile.write(text.utf8, to: manifest, durable: false)
        var packager = Packager(try PackEvaluation(try PackManifest(contentsOf: manifest), sourceDirectory: tree))
        packager.compression = compression
        _ = try packager.package(to: archive)
        return try PackInspector.inspect(archive)
    }

    /// A device with a running service that trusts the server, in a new home.
    func device(_ home: FilePath) async throws -> (launcher: ServiceLauncher, service: ChildProcess, app: FilePath) {
        try FileDescriptor.currentDirectory.makeDirectories(at: home)
        let launcher = try ServiceLauncher(larderd: larderd, home: home)
        let service = try launcher.start()
        try launcher.waitForAnswer(of: service)
        let connection = try await DeviceConnection.connect(
            paths: launcher.paths, client: "bench", startIfNeeded: false)
        let pem = try OwnedDescriptor(authority, .readOnly)
        let text = String(decoding: try pem.borrowed.readAll(limit: 1 << 20), as: UTF8.self)
        _ = try await connection.send(TrustAddRequest(name: "bench", pem: text))
        var app = AppFixture()
        app.keys = AppFixture.managedKeys(manifestURL: "https://localhost:\(server.port)/manifest")
        let place = folder.appending("app")
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        return (launcher, service, try app.write(in: place))
    }

    /// Installs the app; returns when it is launchable.
    func install(_ app: FilePath, _ launcher: ServiceLauncher) async throws {
        let connection = try await DeviceConnection.connect(
            paths: launcher.paths, client: "bench", startIfNeeded: false)
        for try await event in connection.stream(InstallRequest(path: app.string)) {
            if let error = event.error { throw error }
        }
    }

    /// What one would type without Larder.
    func fetchTar(into place: FilePath) throws {
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        let line =
            "set -o pipefail; curl -sS --fail --cacert \(authority) https://localhost:\(server.port)/tree.tar.gz"
            + " | bsdtar -x -C \(place)"
        let result = try ChildProcess.run(executable: "bash", arguments: ["-c", line])
        guard result.exitCode == 0 else { throw BenchmarkError(result.errorText) }
    }
}
