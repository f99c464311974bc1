// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
package import Kit
package import System
package import TestSupport

/// A device of its own in a scratch folder: the service, the command line, and a connection.
package final class Device: Sendable {
    package let home: FilePath
    package let environment: [String: String]
    package let paths: LarderPaths
    private let service = Locked<RunningProgram?>(nil)

    package init(_ scratch: Scratch, home: FilePath? = nil) throws {
        // Short: a socket's path has 107 bytes at most.
        self.home = home ?? scratch("d")
        try FileDescriptor.currentDirectory.makeDirectories(at: self.home)
        environment = Binaries.hermeticEnvironment.merging(
            ["LARDER_HOME": self.home.string, "LARDERD": try Binaries.path("larderd").string]) { $1 }
        paths = try LarderPaths(environment: environment)
        scratch.addCleanup { [service] in
            // Whatever a test did, no service outlives it.
            guard let program = service.withLock({ $0 }) else { return }
            program.process.kill()
            _ = try? program.process.wait()
        }
    }

    /// Starts the service, with more in its environment, and returns once it listens.
    /// - Parameter tracer: a program and its arguments that run the service in their turn.
    @discardableResult
    package func start(
        adding variables: [String: String] = [:], under tracer: [String] = []
    ) async throws -> RunningProgram {
        let readiness = try Pipe()
        let words = tracer + [try Binaries.path("larderd").string, "--ready-fd", "3"]
        let program = try RunningProgram(
            words[0], Array(words.dropFirst()), environment: environment.merging(variables) { $1 },
            descriptors: [3: readiness.writer])
        readiness.closeWriter()
        let count = try await onOwnThread {
            try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try readiness.reader.read(into: $0) }
        }
        guard count == 1 else {
            try await program.end()
            throw TestFailure("larderd did not start: \(program.errorText)")
        }
        service.withLock { $0 = program }
        return program
    }

    /// SIGKILL, and waits until the service is gone.
    package func kill() async throws {
        let program = service.withLock { $0 }
        try await program?.kill()
    }

    package func connect() async throws -> DeviceConnection {
        try await DeviceConnection.connect(paths: paths, client: "integration", startIfNeeded: false)
    }

    /// Runs `larder` to its end.
    package func larder(_ arguments: String..., atMost limit: Duration = .seconds(60)) async throws
        -> ChildProcess.Output
    {
        try await Binaries.run("larder", arguments, environment: environment, atMost: limit)
    }

    /// Starts `larder` and leaves it running.
    package func startLarder(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram("larder", arguments, environment: environment)
    }

    package func trust(_ server: AssetServer) async throws {
        let pem = try FileDescriptor.open(server.authority, .readOnly)
        let text = try pem.closeAfter { String(decoding: try pem.readAll(limit: 1 << 20), as: UTF8.self) }
        let connection = try await connect()
        _ = try await connection.send(TrustAddRequest(name: "integration", pem: text))
    }

    /// Installs and returns all events; the last may say that it failed.
    package func install(_ app: FilePath, until goal: InstallGoal = .launchable) async throws -> [InstallEvent] {
        let connection = try await connect()
        var events: [InstallEvent] = []
        for try await event in connection.stream(InstallRequest(path: app.string, until: goal)) { events.append(event) }
        return events
    }

    package func packs(_ app: String = SampleApp.bundleID) async throws -> [String: PackListing] {
        let reply = try await connect().send(PacksRequest(app: app))
        return Dictionary(uniqueKeysWithValues: reply.packs.map { ($0.id, $0) })
    }

    /// Starts the installed app with `larder launch`; its commands come on standard input. Neither starts a service: that is
    /// the test's part.
    package func launch(_ app: String = SampleApp.bundleID) async throws -> RunningProgram {
        let program = try RunningProgram(
            "larder", ["launch", app], environment: environment.merging(["LARDERD": "/no/larderd"]) { $1 })
        _ = try await program.line { $0 == "ready" }
        return program
    }
}
