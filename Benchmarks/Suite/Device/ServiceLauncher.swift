// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// Starts `larderd` in a home of its own.
struct ServiceLauncher {
    let larderd: FilePath
    let environment: [String: String]
    let paths: LarderPaths

    /// - Parameter variables: more of its environment.
    init(larderd: FilePath, home: FilePath, environment variables: [String: String] = [:]) throws {
        self.larderd = larderd
        environment = Environment.current.merging(["LARDER_HOME": home.string, "LARDERD": larderd.string]) { $1 }
            .merging(variables) { $1 }
        paths = try LarderPaths(environment: environment)
    }

    func start() throws -> ChildProcess {
        try ChildProcess.spawn(executable: larderd, environment: environment)
    }

    /// Makes this process an installed app of the service, before it first uses Background Assets.
    func becomeApp(_ identifier: String) {
        for (name, value) in ["LARDER_HOME": environment["LARDER_HOME"] ?? "", "LARDER_BUNDLE_ID": identifier] {
            setenv(name, value, 1)
        }
    }

    /// Seconds from the start of the process to its answer to `hello`; the service is ended again.
    func timeToAnswer() throws -> Double {
        let begin = ContinuousClock.now
        let child = try start()
        defer { _ = try? child.stop(grace: .seconds(5)) }
        try waitForAnswer(of: child)
        return (ContinuousClock.now - begin) / .seconds(1)
    }

    /// Connects as soon as the service listens; `hello` is answered once it serves.
    func waitForAnswer(of child: ChildProcess) throws {
        while true {
            if let socket = try? UnixSocket.connect(paths.socket) {
                let channel = FrameChannel(socket)
                defer { channel.close() }
                try channel.send(
                    Array(#"{"id":1,"method":"hello","params":{"protocol":1,"client":"bench","version":"1"}}"#.utf8))
                if try channel.receive() != nil { return }
            }
            // A short pause by waiting for the end that must not come; it counts against the service only.
            guard try child.wait(atMost: .milliseconds(1)) == nil else {
                throw BenchmarkError("larderd ended before it answered")
            }
        }
    }
}
