// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import System

/// Signals, taken synchronously on an owned thread instead of in handlers.
package enum Signals {
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    package static let hangUp = SIGHUP

    /// To be called first in `main`: writing to a closed pipe or socket, or past the limit for the size of files, becomes an
    /// error instead of the end. Children get the default back.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Whether whoever started this process had it ignore the signal, as `nohup` does: it is to be left alone then.
    package static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Takes the signals from now on: `body` is called on an owned thread for each that comes.
    ///
    /// To be called in `main` before any other thread is started, since threads inherit who gets signals.
    /// - Throws: `Errno`
    package static func take(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) throws {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard result == 0 else { throw Errno(rawValue: result) }
        try WorkerThread.start(name: "larder-signals") {
            var set = sigset_t()
            sigemptyset(&set)
            for number in numbers { sigaddset(&set, number) }
            while true {
                var number: Int32 = 0
                if sigwait(&set, &number) == 0 { body(number) }
            }
        }
    }
}
