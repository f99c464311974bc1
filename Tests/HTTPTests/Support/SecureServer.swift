// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceSupport
import HTTP
import Kit
import System

/// A TLS server on loopback, its authority, and a client that trusts it.
final class SecureServer: Sendable {
    let server: HTTPServer
    let authorityFile: FilePath
    let records = Locked<[HTTPExchangeRecord]>([])
    private let folder: FolderOwner

    var url: String { "https://localhost:\(server.port)" }

    init(
        identity: TLSIdentity? = nil, change: (inout HTTPServerConfiguration) -> Void = { _ in },
        handler: @escaping HTTPServer.Handler
    ) throws {
        folder = FolderOwner(try TemporaryDirectory(prefix: "larder-http"))
        let authority = try DevelopmentAuthority(folder: folder.path.appending("authority"))
        authorityFile = authority.certificateFile
        let records = records
        var configuration = HTTPServerConfiguration(
            host: "127.0.0.1", identity: try identity ?? authority.identity(hosts: []))
        configuration.log = { record in records.withLock { $0.append(record) } }
        change(&configuration)
        server = try HTTPServer(configuration, handler: handler)
    }

    deinit { server.stop() }

    func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
        HTTPClient.forTests {
            $0.trustedCertificates = [authorityFile]
            change(&$0)
        }
    }

    /// A file below the server's folder that goes away with it.
    func file(_ bytes: [UInt8], name: String = "file") throws -> FilePath {
        let path = folder.path.appending(name)
        try AtomicFile.write(bytes, to: path, durable: false)
        return path
    }
}

extension IndependentServer {
    func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
        HTTPClient.forTests {
            $0.trustedCertificates = [authorityFile]
            change(&$0)
        }
    }
}

/// Keeps a folder for as long as a reference counted object lives.
final class FolderOwner: Sendable {
    private let folder: TemporaryDirectory
    var path: FilePath { folder.path }

    init(_ folder: consuming TemporaryDirectory) { self.folder = folder }
}
