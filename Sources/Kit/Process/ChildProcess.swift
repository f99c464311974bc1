// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import Glibc
package import System

/// A child of this process, known by a pidfd: its number cannot be mistaken for another's, and waiting needs no signal.
///
/// The child starts with default signal dispositions, an empty signal mask, and no descriptor but those it is given.
package final class ChildProcess: Sendable {
    package let processID: Int32
    private let pidfd: OwnedDescriptor
    private let outcome = Locked<Int32?>(nil)

    private init(processID: Int32, pidfd: consuming OwnedDescriptor) {
        self.processID = processID
        self.pidfd = pidfd
    }

    /// Starts a program.
    /// - Parameters:
    ///   - executable: a path, or a bare name that is looked up in this process's `PATH`.
    ///   - arguments: without the program's own name.
    ///   - environment: the whole environment; nil passes this process's on.
    ///   - descriptors: what the child gets as which number; 0, 1 and 2 are inherited when not named.
    ///   - newSession: detaches the child from the terminal and from this process's group.
    ///   - diesWithParent: the child is killed when the starting thread ends; for long-lived threads and tests.
    ///   - limits: what it and its children may use.
    /// - Throws: `KitError` with the `Errno` of what failed, exec included.
    package static func spawn(
        executable: FilePath, arguments: [String] = [], environment: [String: String]? = nil,
        descriptors: [Int32: FileDescriptor] = [:], newSession: Bool = false, workingDirectory: FilePath? = nil,
        diesWithParent: Bool = false, limits: [ResourceLimit] = []
    ) throws -> ChildProcess {
        let variables = (environment ?? Environment.current).map { "\($0)=\($1)" }.sorted()
        let pairs = descriptors.map { clinux_descriptor(source: $1.rawValue, target: $0) }
        let bounds = limits.map { clinux_limit(resource: $0.resource.number, value: $0.value) }
        let words = [executable.string] + arguments
        let processID = try withCStrings(words) { argv in
            try withCStrings(variables) { envp in
                try withCStrings([executable.string, workingDirectory?.string ?? ""]) { paths in
                    try pairs.withUnsafeBufferPointer { pairs in
                        try bounds.withUnsafeBufferPointer { bounds in
                            var options = clinux_spawn()
                            options.executable = UnsafePointer(paths[0])
                            options.arguments = argv
                            options.environment = envp
                            options.working_directory = workingDirectory == nil ? nil : UnsafePointer(paths[1])
                            options.descriptors = pairs.baseAddress
                            options.descriptor_count = pairs.count
                            options.new_session = newSession ? 1 : 0
                            options.search_path = executable.string.contains("/") ? 0 : 1
                            options.die_with_parent = diesWithParent ? 1 : 0
                            options.limits = bounds.baseAddress
                            options.limit_count = bounds.count
                            return try start(&options, executable)
                        }
                    }
                }
            }
        }
        // Still our child, unreaped: the number cannot have been given to another.
        let pidfd = try systemCall { clinux_pidfd_open(processID) }
        return ChildProcess(processID: processID, pidfd: OwnedDescriptor(FileDescriptor(rawValue: pidfd)))
    }

    private static func start(_ options: inout clinux_spawn, _ executable: FilePath) throws -> Int32 {
        let child = clinux_spawn(&options)
        guard child < 0 else { return child }
        throw KitError(.process, "\(executable) could not be started.", cause: Errno.current)
    }

    /// Blocks until the child has ended and returns its exit code, 128 + n when signal n ended it.
    /// - Parameter limit: how long to wait; nil waits for ever.
    /// - Returns: nil when the time ran out; the child runs on.
    @discardableResult
    package func wait(atMost limit: Duration? = nil) throws -> Int32? {
        if let code = outcome.withLock({ $0 }) { return code }
        let deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            var rest: Int32 = -1
            if let deadline {
                rest = Int32(clamping: Int(max(0, ContinuousClock.now.duration(to: deadline).inSeconds) * 1000 + 0.999))
            }
            var entry = pollfd(fd: pidfd.borrowed.rawValue, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, rest)
            if ready > 0 { return reap() }
            if ready == 0 { return nil }
            let error = Errno.current
            guard error == .interrupted else { throw error }
        }
    }

    /// Collects the outcome once; whoever comes later gets it from memory.
    private func reap() -> Int32? {
        outcome.withLock { outcome in
            if let code = outcome { return code }
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0 {
                guard errno == EINTR else { return nil }
            }
            outcome = clinux_exit_code(status)
            return outcome
        }
    }

    /// Asks the child to end (SIGTERM). Nothing happens when it has ended.
    package func terminate() { send(signal: SIGTERM) }

    /// Ends the child (SIGKILL).
    package func kill() { send(signal: SIGKILL) }

    package func send(signal: Int32) { _ = clinux_pidfd_send_signal(pidfd.borrowed.rawValue, signal) }

    /// Asks, waits for `grace`, then kills; the exit code.
    @discardableResult
    package func stop(grace: Duration) throws -> Int32? {
        terminate()
        if let code = try wait(atMost: grace) { return code }
        kill()
        return try wait()
    }

    /// Replaces this process by another program; descriptors that are close-on-exec are closed.
    /// - Throws: `KitError`, always: it returns only when it fails.
    package static func replaceProcess(
        executable: FilePath, arguments: [String], environment: [String: String]
    ) throws -> Never {
        let variables = environment.map { "\($0)=\($1)" }.sorted()
        let error = withCStrings([executable.string] + arguments) { argv in
            withCStrings(variables) { envp in
                _ = clinux_exec(argv[0], argv, envp)
                return Errno.current
            }
        }
        throw KitError(.process, "\(executable) could not be started.", cause: error)
    }
}

/// Calls `body` with a NULL-ended array of C strings that lives as long as the call.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
) rethrows -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return try pointers.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has an address") }
        return try body(base)
    }
}
