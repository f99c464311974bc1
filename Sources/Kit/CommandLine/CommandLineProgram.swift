// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import System

/// The program: from the words of the command line to an exit code.
package enum CommandLineProgram {
    /// How long a command may take to end after Ctrl-C before it is cut off.
    private static let grace = Duration.seconds(2)

    /// Runs the command that `arguments` (with the program's own name first) ask for, in the tree of that name.
    ///
    /// To be called first in a `main` that is not async: a thread that the runtime started before would still die of the
    /// signals that are taken here. Ctrl-C, SIGTERM and a closed terminal cancel the command; a second one ends the process at once.
    package static func run(_ arguments: [String], tree: (_ programName: String) -> Command) -> Never {
        Signals.ignoreBrokenPipes()
        let name = arguments.first.flatMap { FilePath($0).lastComponent?.string } ?? "larder"
        let context = CommandContext(
            programName: name, isTerminal: Terminal.isTerminal(.standardError))
        let interruptions = Interruptions()
        do {
            let ends = [Signals.interrupt, Signals.terminate, Signals.hangUp].filter {
                $0 != Signals.hangUp || !Signals.isIgnored($0)
            }
            try Signals.take(ends) { interruptions.interrupt(by: $0, grace: grace) }
        } catch {
            context.note("\(name): Ctrl-C will end this command without tidying up: \(error)")
        }
        let runner = CommandRunner(root: tree(name), version: LarderVersion.current)
        let task = Task { await runner.run(Array(arguments.dropFirst()), context: context) }
        interruptions.onInterrupt { task.cancel() }
        Task { interruptions.exitCode(of: await task.value).exitProcess() }
        while true { pause() }
    }
}

/// What Ctrl-C does: cancel first, end the process when that does not help.
private final class Interruptions: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var count = 0
        /// What the first signal ends the process with.
        var exitCode = ExitCode.interrupted
    }

    private let state = Locked(State())

    func onInterrupt(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.count > 0
        }
        if isLate { cancel() }
    }

    func interrupt(by signal: Int32, grace: Duration) {
        let (count, cancel) = state.withLock { state in
            state.count += 1
            if state.count == 1 { state.exitCode = Self.exitCode(of: signal) }
            return (state.count, state.cancel)
        }
        guard count == 1 else { end() }
        cancel?()
        let deadline = Monitor(())
        _ = try? WorkerThread.start(name: "larder-grace") {
            _ = deadline.wait(atMost: grace) { _ in Bool?.none }
            self.end()
        }
    }

    /// Ends a command that does not end by itself, because it waits in a read from a pipe, say.
    private func end() -> Never {
        TemporaryDirectory.removeAll()
        state.withLock { $0.exitCode }.exitProcess()
    }

    /// What a command ends with that returned `code`: a cancelled one tells which signal it was.
    func exitCode(of code: ExitCode) -> ExitCode {
        code == .interrupted ? state.withLock { $0.exitCode } : code
    }

    private static func exitCode(of signal: Int32) -> ExitCode {
        switch signal {
        case Signals.terminate: .terminated
        case Signals.hangUp: .hungUp
        default: .interrupted
        }
    }
}
