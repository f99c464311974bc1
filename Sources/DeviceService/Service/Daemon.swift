// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
import System

/// The program `larderd`: one service from start to signal.
package enum Daemon {
    private static let usage = """
        Usage: larderd [--ready-fd <number>] [--log-level <level>] [--version] [--help]

        The device service of Larder: installs apps, fetches their asset packs and keeps them current.
        `larder` starts it when it is needed; systemd may start it with its socket (LISTEN_FDS).

          --ready-fd <number>  write one byte to this descriptor once clients can connect, and close it
          --log-level <level>  trace, debug, info, notice (default), warning, error or critical

        LARDER_HOME puts state, socket and configuration under one folder.
        SIGTERM and SIGINT stop it; downloads go on with the next start.

        """

    /// The folder in whose place `/` is looked at for power supplies and networks. For tests.
    private static let machineRootName = "LARDER_MACHINE_ROOT"

    private struct Options {
        var readyDescriptor: Int32?
        var level = LogLevel.notice
    }

    /// Why the service ends.
    private enum Ending: Sendable {
        case asked
        case failed(String)
    }

    /// Runs until a signal, a client or a failure ends it. For the main thread: it blocks.
    package static func run(arguments: [String]) -> ExitCode {
        Memory.keepSmall()
        Signals.ignoreBrokenPipes()
        let options: Options
        switch parse(arguments.dropFirst()) {
        case .success(let parsed): options = parsed
        case .failure(let answer):
            let target = answer.code == .success ? FileDescriptor.standardOutput : .standardError
            _ = try? target.writeAll(answer.text.utf8)
            return answer.code
        }
        let log = Logger(label: "larderd", level: options.level, sink: StreamLogSink.suitable())
        let ending = Monitor<Ending?>(nil)
        do {
            try Signals.take([Signals.terminate, Signals.interrupt]) { _ in ending.withLock { $0 = $0 ?? .asked } }
            try TaskThreads.takeOver(count: Processors.count)
        } catch {
            return fail("The system has no room for the service's threads: \(error)")
        }
        Task { await serve(options, log, ending) }
        switch ending.wait({ $0 == nil ? nil : $0 }) {
        case .asked: return stop(log)
        case .failed(let message): return fail(message)
        }
    }

    private static let running = Locked<DeviceService?>(nil)

    private static func serve(_ options: Options, _ log: Logger, _ ending: Monitor<Ending?>) async {
        do {
            let environment = Environment.current
            let paths = try LarderPaths(environment: environment)
            var configuration = ServiceConfiguration(paths: paths, version: LarderVersion.current, log: log)
            configuration.listener = SocketActivation.listener(environment, path: paths.socket)
            if let root = environment[Self.machineRootName], root.hasPrefix("/") {
                configuration.conditionsRoot = FilePath(root)
            }
            configuration.onStopRequest = { ending.withLock { $0 = $0 ?? .asked } }
            let service = try await DeviceService.start(configuration)
            running.withLock { $0 = service }
            if let number = options.readyDescriptor {
                let ready = OwnedDescriptor(FileDescriptor(rawValue: number))
                _ = try? ready.borrowed.writeAll([1])
            }
            log.info("Listening.", ["socket": paths.socket.string, "state": paths.state.string])
            try await service.recovered()
        } catch {
            ending.withLock { $0 = $0 ?? .failed("\(error)") }
        }
    }

    /// Stops in order; a second signal, or ten seconds, end it at once, which is safe at any instant.
    private static func stop(_ log: Logger) -> ExitCode {
        let isDone = Monitor(false)
        Task {
            if let service = running.withLock({ $0 }) { await service.stop() }
            isDone.withLock { $0 = true }
        }
        if isDone.wait(atMost: .seconds(10), { $0 ? true : nil }) == nil {
            log.warning("The service did not stop in time and was ended.")
        }
        return .success
    }

    private static func fail(_ message: String) -> ExitCode {
        _ = try? FileDescriptor.standardError.writeAll("larderd: \(message)\n".utf8)
        return .failure
    }

    /// What ends the program before it has begun.
    private struct Answer: Error {
        var text: String
        var code: ExitCode
    }

    private static func parse(_ arguments: ArraySlice<String>) -> Result<Options, Answer> {
        var options = Options()
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": return .failure(Answer(text: usage, code: .success))
            case "--version": return .failure(Answer(text: "larderd \(LarderVersion.current)\n", code: .success))
            case "--ready-fd":
                guard let number = rest.popFirst().flatMap({ Int32($0) }), number > 2 else {
                    return .failure(Answer(text: "larderd: --ready-fd takes a number above 2.\n\(usage)", code: .usage))
                }
                options.readyDescriptor = number
            case "--log-level":
                guard let level = rest.popFirst().flatMap({ LogLevel(name: $0) }) else {
                    return .failure(Answer(text: "larderd: --log-level takes a level.\n\(usage)", code: .usage))
                }
                options.level = level
            default:
                return .failure(Answer(text: "larderd: unknown argument \(argument)\n\(usage)", code: .usage))
            }
        }
        return .success(options)
    }
}
