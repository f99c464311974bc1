// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Starts `larderd` for a client that found nobody on the socket. Everything here blocks.
enum ServiceStarter {
    /// The number under which a started service finds the pipe that it writes one byte to once it listens.
    static let readinessDescriptor: Int32 = 3

    /// Starts the service unless another client just did, and connects.
    /// - Throws: `DeviceError` with code `unavailable` and what the service said before it ended.
    static func start(_ paths: LarderPaths) throws -> FrameChannel {
        do {
            try paths.prepareRuntime()
            try paths.prepareState()
            // Clients that come at once take turns: the first starts the service, the others find it.
            let turn = try FileLock.acquire(paths.runtime.appending("start.lock"), .exclusive)
            defer { withExtendedLifetime(turn) {} }
            if let channel = try DeviceConnection.open(paths) { return channel }
            try launch(paths)
        } catch let error as DeviceError {
            throw error
        } catch {
            throw DeviceError(
                .unavailable,
                "The device service could not be started: \(error.clause). It needs \(paths.state), \(paths.configuration) and "
                    + "\(paths.runtime) to write to; LARDER_HOME names another place.")
        }
        if let channel = try DeviceConnection.open(paths) { return channel }
        throw DeviceError(.unavailable, failure(paths))
    }

    private static func launch(_ paths: LarderPaths) throws {
        let program = try program()
        let readiness = try Pipe()
        let null = try OwnedDescriptor("/dev/null", .readWrite)
        let log = try log(paths)
        _ = try ChildProcess.spawn(
            executable: program, arguments: ["--ready-fd", "\(readinessDescriptor)"],
            descriptors: [
                0: null.borrowed, 1: null.borrowed, 2: log.borrowed, readinessDescriptor: readiness.writer,
            ], newSession: true, workingDirectory: "/")
        readiness.closeWriter()
        // One byte once it listens; the end of the pipe when it ended before.
        let count = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            try readiness.reader.read(into: $0)
        }
        guard count == 1 else { throw DeviceError(.unavailable, failure(paths)) }
    }

    /// On a full disk there may be no room for another file: the service starts all the same.
    private static func log(_ paths: LarderPaths) throws -> OwnedDescriptor {
        do {
            return try OwnedDescriptor(
                logPath(paths), .writeOnly, options: [.create, .truncate, .noFollow], permissions: .filePrivate)
        } catch Errno.noSpace {
            return try OwnedDescriptor("/dev/null", .writeOnly)
        }
    }

    /// `LARDERD`, or the program beside this one, or the one in `PATH`.
    private static func program() throws -> FilePath {
        let environment = Environment.current
        if let named = environment["LARDERD"], !named.isEmpty {
            if let found = Environment.findExecutable(named, environment) { return found }
            throw DeviceError(
                .unavailable, "LARDERD is \"\(named)\", where there is no program. Correct it, or unset it.")
        }
        if let own = try? CurrentExecutable.path() {
            let beside = own.removingLastComponent().appending("larderd")
            if let found = Environment.findExecutable(beside.string, environment) { return found }
        }
        if let found = Environment.findExecutable("larderd", environment) { return found }
        throw DeviceError(
            .unavailable,
            "The device service is not running, and there is no larderd to start: not beside this program and not in PATH. "
                + "Install it, or set LARDERD to it.")
    }

    private static func logPath(_ paths: LarderPaths) -> FilePath { paths.state.appending("larderd.log") }

    private static func failure(_ paths: LarderPaths) -> String {
        let path = logPath(paths)
        var said = ""
        if let log = try? OwnedDescriptor(path, .readOnly), let bytes = try? log.borrowed.readAll(limit: 1 << 20) {
            said = String(decoding: bytes, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
        }
        return said.isEmpty
            ? "The device service ended at its start without a word; see \(path)."
            : "The device service did not start: \(said) (from \(path))"
    }
}
