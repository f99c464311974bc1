// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceSupport
import HTTP
import HostingClient
import HostingModel
import Kit
import System

/// Ranges of an archive and device manifests from `larder-host`, beside the same bytes from nginx, with TLS and without.
struct HostDownloads: Benchmark {
    let name = "host-downloads"
    let summary = "LARDER-HOST FOLDER [ROUNDS]: archives and manifests from the host against nginx"

    private static let archiveSize = 256 << 20
    private static let packs = 20
    /// Threads of the host's server, and so processes of nginx.
    private static let workers = 2

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count >= 2 else { throw BenchmarkError(summary) }
        let (program, folder) = (FilePath(arguments[0]), FilePath(arguments[1]))
        let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 11 : 11
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: folder)
        let identity = try await BenchHost.Identity(folder: folder)
        let digest = try await publish(program, identity, folder)
        let authority = try DevelopmentAuthority(folder: folder.appending("authority"))
        _ = try authority.identity(hosts: ["127.0.0.1"])
        let certificate = (
            chain: folder.appending("authority/server.pem"), key: folder.appending("authority/server.key")
        )
        let token = try await BenchHost.channelToken(identity, .internalBeta)
        let contest = Contest(
            generator: try LoadGenerator(folder: folder.appending("load"), threads: 2), rounds: rounds)
        for isSecure in [false, true] {
            let host = try BenchHost(program, identity, certificate: isSecure ? certificate : nil)
            defer { host.stop() }
            let manifest = try await DeviceManifest(host, token: token, trusting: authority)
            let files = folder.appending("files-\(isSecure)")
            try here.makeDirectories(at: files)
            // The very file: both servers read it from the same pages of memory.
            let archive = identity.data.appending("archives/\(digest.prefix(2))/\(digest)")
            try here.makeSymbolicLink(to: archive.string, at: files.appending("archive"))
            try AtomicFile.write(manifest.bytes, to: files.appending("manifest.json"), durable: false)
            let peer = try IndependentServer(
                peerServing: files, certificate: isSecure ? certificate : nil, workers: Self.workers)
            let ranges = Ranges(
                contest: contest, host: host, peer: peer, digest: digest, size: Int(try here.status(at: archive).size))
            let peerTag = try await entityTag(of: "/manifest.json", peer, trusting: authority)
            let suffix = isSecure ? ", TLS" : ""
            try await offload {
                try ranges.run(
                    "1 MiB ranges\(suffix)", length: 1 << 20, connections: 16, .bytesPerSecond, .atLeast(0.95), report)
                try ranges.run(
                    "1 KiB ranges\(suffix)", length: 1 << 10, connections: 64, .requestsPerSecond, .atLeast(1), report)
                try manifest.run(contest, host, peer, peerTag: peerTag, suffix, report)
            }
        }
    }

    private func entityTag(
        of path: String, _ server: IndependentServer, trusting authority: DevelopmentAuthority
    ) async throws -> String {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        configuration.trustedCertificates = [authority.certificateFile]
        let (head, _) = try await HTTPClient(configuration).data(
            for: HTTPRequest(url: server.url + path), limit: 1 << 20)
        guard let tag = head.etag else { throw BenchmarkError("nginx gives the manifest no entity tag") }
        return tag
    }

    /// Puts everything on the host; the archive's digest.
    private func publish(_ program: FilePath, _ identity: BenchHost.Identity, _ folder: FilePath) async throws -> String
    {
        let host = try BenchHost(program, identity)
        defer { host.stop() }
        for number in 1...Self.packs {
            try await host.publish(BenchPack.make("Small\(number)", size: 1000, in: folder))
        }
        try await host.publish(BenchPack.make("Large", size: Self.archiveSize, in: folder))
        let token = try await BenchHost.channelToken(identity, .internalBeta)
        let manifest = try await DeviceManifest(host, token: token)
        let packs = try JSONParser.parse(manifest.bytes).value["assetPacks"]?.arrayValue ?? []
        guard packs.count == Self.packs + 1,
            let url = packs.first(where: { $0["id"]?.stringValue == "Large" })?["url"]?.stringValue,
            let slash = url.lastIndex(of: "/")
        else { throw BenchmarkError("the manifest does not have the packs") }
        return String(url[url.index(after: slash)...])
    }
}

/// Stretches of the archive.
private struct Ranges: Sendable {
    let contest: Contest
    let host: BenchHost
    let peer: IndependentServer
    let digest: String
    let size: Int

    func run(
        _ name: String, length: Int, connections: Int, _ measure: Contest.Measure, _ bound: Report.Bound,
        _ report: Report
    ) throws {
        var load = Load(paths: ["/archives/\(digest)"], rangeLength: length, fileSize: size, connections: connections)
        let ours = host.contestant(load)
        load.paths = ["/archive"]
        try contest.run(name, ours, peer.contestant(load), measure, bound, report)
    }
}

/// What a device of the internal channel is told.
private struct DeviceManifest: Sendable {
    let bytes: [UInt8]
    private let etag: String
    private let token: String

    private static let path = "/devices/\(BenchHost.bundleID)/internalBeta/manifest?platform=Linux"

    init(_ host: BenchHost, token: String, trusting authority: DevelopmentAuthority? = nil) async throws {
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = true
        configuration.trustedCertificates = authority.map { [$0.certificateFile] } ?? []
        let request = HTTPRequest(url: host.url + Self.path, headers: [("Authorization", "Bearer \(token)")])
        let (head, bytes) = try await HTTPClient(configuration).data(for: request, limit: 1 << 20)
        guard head.status == 200, let etag = head.etag else { throw BenchmarkError("no manifest: \(head.status)") }
        self.bytes = bytes
        self.etag = etag
        self.token = token
    }

    /// - Parameter peerTag: what nginx calls the file.
    func run(
        _ contest: Contest, _ host: BenchHost, _ peer: IndependentServer, peerTag: String, _ suffix: String,
        _ report: Report
    ) throws {
        var ours = Load(paths: [Self.path], headers: ["Authorization": "Bearer \(token)"])
        var theirs = Load(paths: ["/manifest.json"])
        try contest.run(
            "manifests of \(bytes.count) bytes\(suffix)", host.contestant(ours), peer.contestant(theirs),
            .requestsPerSecond, .atLeast(0.5), report)
        ours.headers["If-None-Match"] = etag
        theirs.headers["If-None-Match"] = peerTag
        try contest.run(
            "304 for a manifest\(suffix)", host.contestant(ours), peer.contestant(theirs), .requestsPerSecond,
            .atLeast(0.6), report)
    }
}
