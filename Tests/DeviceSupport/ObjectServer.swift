// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System
import TestSupport

/// rclone on loopback, serving S3 from a folder, behind nginx over TLS: an object store that is not ours. nginx answers requests
/// for parts of objects, which rclone answers with the part but with the status for the whole.
package final class ObjectServer: Sendable {
    /// Where `scripts/setup` puts it.
    private static let program = FilePath(Environment.current["LARDER_PREFIX"] ?? "/usr/local").appending(
        "lib/larder/rclone")
    package static let accessKey = "AKLARDERTEST"
    package static let secretKey = "not-a-secret/of+anybody"

    package let bucket = "packs"
    /// The certificate that a client must trust.
    package var authorityFile: FilePath { front.authorityFile }
    /// Where the objects are, each a file.
    package let folder: FilePath
    private let scratch: FilePath
    private let listener: LoopbackListener
    private let front: IndependentServer
    private let process = Locked<ChildProcess?>(nil)

    package var url: String { front.url }

    /// The setting of a host that keeps its archives here.
    package func setting(prefix: String = "") -> String {
        "s3://\(bucket)\(prefix.isEmpty ? "" : "/" + prefix)?endpoint=\(url)&region=eu-test-1&authority=\(authorityFile)"
    }

    package var credentials: [String: String] {
        ["AWS_ACCESS_KEY_ID": Self.accessKey, "AWS_SECRET_ACCESS_KEY": Self.secretKey]
    }

    /// Starts it with an empty bucket, in a new folder below `scratch`.
    /// - Parameter rate: bytes a second that it sends on a connection at most.
    package init(in scratch: FilePath, rate: Int? = nil) throws {
        let here = FileDescriptor.currentDirectory
        guard here.exists(at: Self.program) else {
            throw TestFailure("\(Self.program) is not there: the object store of the tests. Run: scripts/setup test")
        }
        self.scratch = scratch.appending("objects-\(UInt32.random(in: 0...UInt32.max))")
        folder = self.scratch.appending("data")
        try here.makeDirectories(at: folder.appending(bucket), permissions: .directoryPrivate)
        listener = try LoopbackListener()
        front = try IndependentServer(
            files: [:],
            locations: """
                location / {
                    proxy_pass http://127.0.0.1:\(listener.port); proxy_http_version 1.1; proxy_set_header Host $http_host;
                    proxy_set_header Range ""; proxy_set_header If-Range ""; proxy_force_ranges on;
                    proxy_request_buffering off; proxy_max_temp_file_size 0; client_max_body_size 0;
                    \(rate.map { "limit_rate \($0);" } ?? "")
                }
                """)
        try start()
    }

    deinit { stop() }

    /// Runs it again at the same address. What was uploaded in parts and not completed is forgotten.
    package func start() throws {
        // Not where the tests write: if they crash it lives on, and whoever reads their output would wait for it.
        let log = try FileDescriptor.open(
            scratch.appending("log"), .writeOnly, options: [.create, .append], permissions: .filePrivate)
        defer { _ = try? log.close() }
        // The server is to find its own number in the environment beside the socket.
        process.withLock { [self] in
            $0 = try? ChildProcess.spawn(
                executable: "/bin/sh",
                arguments: [
                    "-c", #"LISTEN_PID=$$ exec "$0" "$@""#, Self.program.string, "serve", "s3", "--config", "",
                    "--cache-dir", scratch.appending("cache").string, "--auth-key",
                    "\(Self.accessKey),\(Self.secretKey)",
                    folder.string,
                ],
                environment: ["LISTEN_FDS": "1", "PATH": "/usr/bin:/bin", "HOME": scratch.string],
                descriptors: [1: log, 2: log, 3: listener.descriptor])
        }
        guard process.withLock({ $0 != nil }) else { throw TestFailure("\(Self.program) could not be started.") }
    }

    /// SIGKILL. Whoever connects waits until it runs again.
    package func stop() {
        process.withLock { process in
            process?.kill()
            _ = try? process?.wait()
            process = nil
        }
    }

    /// What it has answered to requests for parts of objects and for whole ones, in order; it has ended then.
    package func answers() throws -> [IndependentServer.Answer] {
        stop()
        return try front.answers()
    }

    /// The keys of all objects.
    package func keys() throws -> [String] {
        var keys: [String] = []
        func walk(_ path: FilePath, _ prefix: String) throws {
            for entry in try FileDescriptor.currentDirectory.entries(at: path) {
                if entry.kind == .directory {
                    do {
                        try walk(path.appending(entry.name), prefix + entry.name + "/")
                    } catch Errno.noSuchFileOrDirectory {
                        // The server removes folders whose last object goes, also while this looks.
                    }
                } else if !entry.name.hasPrefix(".rclone_temp") {
                    keys.append(prefix + entry.name)
                }
            }
        }
        try walk(folder.appending(bucket), "")
        return keys.sorted()
    }
}
