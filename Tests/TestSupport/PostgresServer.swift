// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// A PostgreSQL server of the tests' own, on a socket in a scratch folder. It ends with the process that started it, and takes
/// its folder along.
///
/// Its default order of text is English, so that whoever relies on the default sees it.
package final class PostgresServer: Sendable {
    private let input: FileDescriptor
    private let output: FileDescriptor
    private let process: ChildProcess
    /// The folder of the socket.
    private let folder: String
    private let programs: FilePath
    /// One command at a time.
    private let turn = Locked(())

    private init(_ input: FileDescriptor, _ output: FileDescriptor, _ process: ChildProcess, programs: FilePath) throws
    {
        self.input = input
        self.output = output
        self.process = process
        self.programs = programs
        folder = try Self.line(output)
        guard folder.hasPrefix("/") else { throw KitError(.process, "PostgreSQL did not start: \(folder)") }
    }

    // As root the server would not run: then it is nobody's.
    private static let script = """
        bin=$1
        folder=$(mktemp -d /tmp/larder-postgres.XXXXXX)
        cd "$folder"
        fail() { tr '\\n' ' ' <log; echo; rm -rf "$folder"; exit 1; }
        "$bin/initdb" -D db -U larder --auth=trust --encoding=UTF8 --locale=C --locale-provider=icu --icu-locale=en-US \
            --no-sync >log 2>&1 || fail
        start() {
            "$bin/postgres" -D "$folder/db" -c listen_addresses= -c unix_socket_directories="$folder" -c max_connections=1000 \
                -c fsync=off -c full_page_writes=off -c shared_buffers=32MB -c jit=off \
                -c autovacuum=off -c max_pred_locks_per_transaction=256 >>log 2>&1 </dev/null &
            server=$!
            until "$bin/pg_isready" -q -h "$folder" -U larder -d postgres; do
                kill -0 $server 2>/dev/null || fail
                sleep 0.05
            done
            echo "$folder"
        }
        start
        while read -r word; do
            kill -QUIT $server
            wait $server
            start
        done
        kill -QUIT $server
        wait $server
        rm -rf "$folder"
        """

    /// The one that all tests of this process share.
    package static func shared() async throws -> PostgresServer { try await common.value }
    private static let common = Task { try await start() }

    /// One that a test may stop and start as it likes. It is there until nobody holds it.
    package static func start() async throws -> PostgresServer {
        let programs = try programFolder()
        return try await onOwnThread {
            let (input, output) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
            let words = ["/bin/sh", "-c", script, "sh", programs.string]
            let isRoot = geteuid() == 0
            let process = try ChildProcess.spawn(
                executable: isRoot ? "setpriv" : "/bin/sh",
                arguments: isRoot
                    ? ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] + words : Array(words.dropFirst()),
                descriptors: [0: input.readEnd, 1: output.writeEnd], newSession: true)
            try input.readEnd.close()
            try output.writeEnd.close()
            return try PostgresServer(input.writeEnd, output.readEnd, process, programs: programs)
        }
    }

    deinit {
        _ = try? input.close()
        _ = try? output.close()
    }

    /// Where Debian and `scripts/setup` put the programs.
    private static func programFolder() throws -> FilePath {
        let prefix = Environment.current["LARDER_PREFIX"] ?? "/usr/local"
        for base in ["/usr/lib/postgresql", "\(prefix)/lib/larder/postgresql/usr/lib/postgresql"] {
            let here = FileDescriptor.currentDirectory
            let versions = ((try? here.entries(at: FilePath(base))) ?? []).compactMap { Int($0.name) }
            for version in versions.sorted(by: >) {
                let folder = FilePath("\(base)/\(version)/bin")
                if here.exists(at: folder.appending("initdb")) { return folder }
            }
        }
        throw KitError(.path, "There is no PostgreSQL server on this machine. Run: scripts/setup test")
    }

    /// Kills the server as a power cut would, and starts it again.
    package func restart() async throws {
        try await onOwnThread { [self] in
            _ = try turn.withLock { _ in
                try Array("restart\n".utf8).withUnsafeBytes { try input.writeFully($0) }
                return try Self.line(output)
            }
        }
    }

    /// The address of a schema.
    package func address(_ schema: String) -> String {
        "postgres://larder@/postgres?host=\(folder)&options=-c%20search_path%3D\(schema)"
    }

    /// Makes a schema that nobody else uses; its address.
    package func newSchema() async throws -> String {
        let name = "s\(UInt64.random(in: 0...UInt64.max))"
        _ = try await run("CREATE SCHEMA \(name)", in: "public")
        return address(name)
    }

    /// Runs statements with the server's own tool; a line for each row, columns apart by `|`.
    package func run(_ sql: String, in schema: String) async throws -> String {
        let output = try await onOwnThread { [programs, url = address(schema)] in
            try ChildProcess.run(
                executable: programs.appending("psql"), arguments: ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, url],
                atMost: .seconds(60))
        }
        guard output.exitCode == 0 else { throw KitError(.process, "psql failed: \(output.errorText)") }
        return output.outputText
    }

    private static func line(_ output: FileDescriptor) throws -> String {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while try withUnsafeMutableBytes(of: &byte, { try output.read(into: $0) }) > 0, byte != UInt8(ascii: "\n") {
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
