// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import DevelopmentServer
import HTTP
import Kit
import System

/// A development server with packs in a folder of its own, and a client that trusts it.
final class ServerFixture: Sendable {
    let server: DevelopmentServer
    let folder: FixtureFolder
    let notes: Locked<[String]>
    let records: Locked<[HTTPExchangeRecord]>

    init(
        packs: [String] = ["Coast"], faults: [String] = [],
        change: (inout DevelopmentServerOptions) -> Void = { _ in }
    ) async throws {
        folder = try FixtureFolder()
        let notes = Locked<[String]>([])
        let records = Locked<[HTTPExchangeRecord]>([])
        self.notes = notes
        self.records = records
        var archives: [FilePath] = []
        for id in packs { archives.append(try folder.pack(id, content: Self.content(of: id))) }
        var options = DevelopmentServerOptions(
            archives: archives, identity: .authority(folder.path.appending("authority")))
        for fault in faults {
            switch try FaultOption(fault) {
            case .rule(let rule): options.faults.append(rule)
            case .certificate(let fault): options.certificateFault = fault
            }
        }
        options.note = { note in notes.withLock { $0.append(note) } }
        options.log = { record in records.withLock { $0.append(record) } }
        change(&options)
        server = try await DevelopmentServer(options)
    }

    deinit { server.stop() }

    var url: String { server.baseURL }

    func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.trustedCertificates = server.authorityFile.map { [$0] } ?? []
        configuration.linger = .milliseconds(50)
        change(&configuration)
        return HTTPClient(configuration)
    }

    func get(_ path: String, headers: [(String, String)] = []) async throws -> (HTTPResponse, [UInt8]) {
        try await client().data(for: HTTPRequest(url: url + path, headers: headers), limit: 64 << 20)
    }

    func manifest() async throws -> DownloadManifest {
        try DownloadManifest.decode(try await get("/manifest").1, source: "test")
    }

    func archive(_ id: String) throws -> [UInt8] { try File.read(folder.path.appending("\(id).aar")) }

    /// Bytes that no codec makes much smaller.
    static func content(of id: String, count: Int = 300_000) -> [UInt8] {
        var state = UInt64(id.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}

/// A folder with packs, removed with its owner.
final class FixtureFolder: Sendable {
    private let folder: TemporaryDirectory
    var path: FilePath { folder.path }

    init() throws { folder = try TemporaryDirectory(prefix: "larder-serve") }

    /// Packs one file and gives the archive's path.
    @discardableResult
    func pack(_ id: String, content: [UInt8], platforms: String = "[]", to name: String? = nil) throws -> FilePath {
        let source = path.appending("source-\(id)")
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: source)
        try AtomicFile.write(content, to: source.appending("data.bin"), durable: false)
        let manifest = """
            {"assetPackID": "\(id)", "downloadPolicy": {"onDemand": {}}, "fileSelectors": [{"file": "data.bin"}],
             "platforms": \(platforms)}
            """
        let manifestPath = path.appending("\(id).json")
        try AtomicFile.write(manifest.utf8, to: manifestPath, durable: false)
        let archive = path.appending(name ?? "\(id).aar")
        try here.removeTree(at: archive)
        _ = try Packager(PackEvaluation(PackManifest(contentsOf: manifestPath), sourceDirectory: source))
            .package(to: archive)
        return archive
    }
}
