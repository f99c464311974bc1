// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Kit
package import System

/// nginx on loopback over TLS, serving a folder: a server that is not ours.
package final class IndependentServer: Sendable {
    /// Where `scripts/setup` puts it.
    private static let program = FilePath(Environment.current["LARDER_PREFIX"] ?? "/usr/local").appending(
        "lib/larder/nginx")

    package let port: Int
    /// The certificate that a client must trust.
    package let authorityFile: FilePath
    private let folder: Folder
    private let process: ChildProcess

    private let scheme: String

    package var url: String { "\(scheme)://localhost:\(port)" }

    /// A server with HTTP/2.
    /// - Parameter locations: more of nginx's configuration, inside its `server`.
    package convenience init(files: [String: [UInt8]], locations: String = "") throws {
        let folder = Folder(try TemporaryDirectory(prefix: "larder-nginx"))
        let place = folder.path.appending("files")
        try FileDescriptor.currentDirectory.makeDirectories(at: place, permissions: .directoryPrivate)
        for (name, bytes) in files { try AtomicFile.write(bytes, to: place.appending(name), durable: false) }
        try self.init(
            folder, serving: place, Shape(options: "ssl http2", workers: "1", locations: locations))
    }

    /// A server with HTTP/1.1 alone, and a process for each processor.
    /// - Parameter files: a folder of the caller's.
    package convenience init(serving files: FilePath) throws {
        let folder = Folder(try TemporaryDirectory(prefix: "larder-nginx"))
        try self.init(folder, serving: files, Shape(options: "ssl", workers: "auto"))
    }

    /// A server over plain http whose answers are counted: one process, so that they are written down in their order.
    /// - Parameters:
    ///   - files: a folder of the caller's.
    ///   - isPlain: http, for clients that cannot be told whom to trust.
    package convenience init(counting files: FilePath, isPlain: Bool) throws {
        let folder = Folder(try TemporaryDirectory(prefix: "larder-nginx"))
        try self.init(folder, serving: files, Shape(options: isPlain ? "" : "ssl", workers: "1"))
    }

    /// A server that is to be as fast as it can: HTTP/1.1, no log, connections without end.
    /// - Parameters:
    ///   - files: a folder of the caller's.
    ///   - certificate: PEM files of a chain and its key; nil for plain http.
    ///   - workers: how many processes serve.
    package convenience init(
        peerServing files: FilePath, certificate: (chain: FilePath, key: FilePath)?, workers: Int
    ) throws {
        let folder = Folder(try TemporaryDirectory(prefix: "larder-nginx"))
        var shape = Shape(options: certificate == nil ? "" : "ssl", workers: "\(workers)")
        shape.certificate = certificate
        shape.isLogging = false
        shape.settings = "sendfile on; tcp_nopush on; keepalive_requests 1000000000; ssl_protocols TLSv1.3;"
        try self.init(folder, serving: files, shape)
    }

    /// What of nginx's configuration differs.
    private struct Shape {
        /// Of `listen`.
        var options: String
        var workers: String
        /// Inside `server`.
        var locations = ""
        /// Inside `http`.
        var settings = ""
        var isLogging = true
        /// nil for one that a new authority has issued.
        var certificate: (chain: FilePath, key: FilePath)?
    }

    private init(_ folder: Folder, serving files: FilePath, _ shape: Shape) throws {
        self.folder = folder
        scheme = shape.options.hasPrefix("ssl") ? "https" : "http"
        let root = folder.path
        let authority = try DevelopmentAuthority(folder: root.appending("authority"))
        authorityFile = authority.certificateFile
        _ = try authority.identity(hosts: [])
        // It is given a socket that listens already, so nobody needs to wait for it or to guess a port. Its workers take turns
        // at it: the one that comes too late must not wait there.
        let listener = try LoopbackListener()
        let port = listener.port
        self.port = port
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(root)/\($0);" }
        let issued = (chain: root.appending("authority/server.pem"), key: root.appending("authority/server.key"))
        let certificate = shape.certificate ?? issued
        let logs = (
            all: shape.isLogging ? "\(root)/access.log combined" : "off",
            versions: shape.isLogging ? "\(root)/version.log version" : "off"
        )
        let text = """
            daemon off; user root; worker_processes \(shape.workers); pid \(root)/pid; error_log \(root)/error.log;
            events {}
            http {
                access_log \(logs.all); \(temporary.joined(separator: " ")) \(shape.settings)
                log_format version '$server_protocol $connection $status $ssl_cipher $request_uri $body_bytes_sent';
                server {
                    listen 127.0.0.1:\(port) \(shape.options); root \(files); access_log \(logs.versions);
                    ssl_certificate \(certificate.chain); ssl_certificate_key \(certificate.key);
                    \(shape.locations)
                }
            }
            """
        try AtomicFile.write(Array(text.utf8), to: root.appending("nginx.conf"), durable: false)
        // Not where the tests write: if they crash it lives on, and whoever reads their output would wait for it.
        let log = try FileDescriptor.open(
            root.appending("output.log"), .writeOnly, options: [.create, .append], permissions: .filePrivate)
        defer { _ = try? log.close() }
        process = try ChildProcess.spawn(
            executable: Self.program,
            arguments: ["-p", root.string, "-c", "\(root)/nginx.conf", "-e", "\(root)/error.log"],
            environment: ["NGINX": "3;"], descriptors: [1: log, 2: log, 3: listener.descriptor])
    }

    deinit { _ = try? process.stop(grace: .seconds(10)) }

    /// The processes that serve.
    /// - Throws: `Errno`
    package func processIDs() throws -> [Int32] {
        let path = FilePath("/proc/\(process.processID)/task/\(process.processID)/children")
        return String(decoding: try File.read(path, limit: 4096), as: UTF8.self).split(separator: " ").compactMap {
            Int32($0)
        }
    }

    package struct Answer: Hashable {
        package var version: String
        package var connection: String
        package var status: String
        /// As OpenSSL calls it; "-" for plain http.
        package var cipher: String
        /// Path and query.
        package var target: String
        /// Bytes of the body that it has sent.
        package var bytes: Int64
    }

    /// What it has answered, in order; it has ended then.
    package func answers() throws -> [Answer] {
        process.terminate()
        _ = try process.wait()
        return try answersSoFar()
    }

    /// What it has answered until now, in order. An answer is written down once it is sent, which may be after its client has it;
    /// those to requests before another that has been answered are there.
    /// - Throws: `Errno`
    package func answersSoFar() throws -> [Answer] {
        let text = String(decoding: try File.read(folder.path.appending("version.log"), limit: 64 << 20), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 6, let bytes = Int64(words[5]) else { return nil }
            return Answer(
                version: words[0], connection: words[1], status: words[2], cipher: words[3], target: words[4],
                bytes: bytes)
        }
    }

    /// Keeps the folder for as long as the server lives.
    private final class Folder: Sendable {
        private let folder: TemporaryDirectory
        var path: FilePath { folder.path }

        init(_ folder: consuming TemporaryDirectory) { self.folder = folder }
    }
}
