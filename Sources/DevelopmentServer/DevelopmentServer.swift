// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import Crypto
internal import HTTP
internal import Kit
package import System

/// `ba-serve`: a server of asset packs on a developer's machine, over https (D1, BA 3.5).
package final class DevelopmentServer: Sendable {
    /// A pack that is served.
    package struct Pack: Hashable, Sendable {
        package let id: String
        package let version: Int
        /// The archive's size in bytes.
        package let size: Int64
        package let path: FilePath
    }

    package let port: Int
    /// Where devices reach the server, without a path: `https://localhost:8443`.
    package let baseURL: String
    /// What devices have to trust; nil with a certificate of the person's own.
    package let authorityFile: FilePath?
    /// Whether that authority was made just now.
    package let authorityIsNew: Bool
    package let packs: [Pack]
    private let server: HTTPServer

    /// Reads all archives, then listens.
    /// - Throws: `DevelopmentServerError`, `AssetPackError`, `ArchiveError`, `CryptoError`, `HTTPServerError`
    package init(_ options: DevelopmentServerOptions) async throws {
        let shelf = try PackShelf(note: options.note)
        try await shelf.fill(options.archives, versions: options.versions)
        packs = await shelf.view().packs.map {
            Pack(id: $0.id, version: $0.version, size: $0.contents.archiveSize, path: $0.path)
        }
        let credentials = try await offload { try ServerCredentials(options) }
        authorityFile = credentials.authorityFile
        authorityIsNew = credentials.authorityIsNew

        var configuration = HTTPServerConfiguration(
            host: BindAddress.host(for: options.host), port: options.port, identity: credentials.identity)
        configuration.log = options.log
        let service = AssetService(
            shelf: shelf, plan: FaultPlan(options.faults, seed: options.seed))
        server = try HTTPServer(configuration) { await service.respond(to: $0) }
        port = server.port
        baseURL = BindAddress.baseURL(host: options.host, port: server.port)
        service.setBase(baseURL)
    }

    /// Stops; bodies on their way are broken off. Blocks until all threads have ended.
    package func stop() { server.stop() }
}

/// Which address a host name means to listen on, and how it stands in a URL.
enum BindAddress {
    /// nil: all addresses of this machine.
    static func host(for name: String) -> String? {
        if HTTPHeaders.same(name, "localhost") { return "127.0.0.1" }
        guard let host = try? HostName(name), case .address(let address) = host else { return nil }
        return address
    }

    static func baseURL(host: String, port: Int) -> String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? "https://\(shown)" : "https://\(shown):\(port)"
    }
}

/// The certificate that the options ask for.
private struct ServerCredentials: Sendable {
    let identity: TLSIdentity
    var authorityFile: FilePath?
    var authorityIsNew = false

    init(_ options: DevelopmentServerOptions) throws {
        let host = try HostName(options.host)
        if let fault = options.certificateFault {
            var authority: DevelopmentAuthority?
            if case .authority(let folder) = options.identity { authority = try DevelopmentAuthority(folder: folder) }
            identity = try fault.identity(host: host, authority: authority)
            authorityFile = authority?.certificateFile
            return
        }
        switch options.identity {
        case .files(let certificate, let key):
            identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
        case .authority(let folder):
            let authority = try DevelopmentAuthority(folder: folder)
            identity = try authority.identity(hosts: [options.host])
            authorityFile = authority.certificateFile
            authorityIsNew = authority.isNew
        }
    }
}
