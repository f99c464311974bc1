// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// From starting `larderd` to the answer to `hello`, beside a program that only opens the same database. The two take turns,
/// and the medians are compared.
struct StartBenchmark {
    let service: FilePath
    let opener: FilePath
    let home: FilePath
    let runs: Int

    func run() throws {
        let environment = Environment.current.merging(["LARDER_HOME": home.string]) { $1 }
        let paths = try LarderPaths(environment: environment)
        _ = try serviceTime(environment, paths)
        var serviceTimes: [Duration] = []
        var openerTimes: [Duration] = []
        for _ in 0..<runs {
            serviceTimes.append(try serviceTime(environment, paths))
            openerTimes.append(try openerTime(paths.database))
        }
        let (ours, bare) = (median(serviceTimes), median(openerTimes))
        print("service_ms=\(milliseconds(ours)) opener_ms=\(milliseconds(bare)) ratio=\(rounded(ours / bare))")
    }

    /// Waits on the socket itself: it connects as soon as the service listens, and `hello` is answered when it serves.
    private func serviceTime(_ environment: [String: String], _ paths: LarderPaths) throws -> Duration {
        let begin = ContinuousClock.now
        let child = try ChildProcess.spawn(
            executable: service, environment: environment.merging(["LARDER_LOG": "error"]) { $1 })
        defer { _ = try? child.stop(grace: .seconds(5)) }
        while true {
            if let socket = try? UnixSocket.connect(paths.socket) {
                let channel = FrameChannel(socket)
                try channel.send(
                    Array(#"{"id":1,"method":"hello","params":{"protocol":1,"client":"bench","version":"1"}}"#.utf8))
                guard try channel.receive() != nil else { continue }
                let time = ContinuousClock.now - begin
                channel.close()
                return time
            }
            // The yardstick is timed to its end; a pause here would only be counted against the service.
            guard try child.wait(atMost: .microseconds(200)) == nil else {
                throw KitError(.process, "larderd ended before it answered.")
            }
        }
    }

    private func openerTime(_ database: FilePath) throws -> Duration {
        let begin = ContinuousClock.now
        let child = try ChildProcess.spawn(executable: opener, arguments: [database.string])
        guard try child.wait() == 0 else { throw KitError(.process, "\(opener) failed on \(database).") }
        return ContinuousClock.now - begin
    }

    private func median(_ values: [Duration]) -> Duration { values.sorted()[values.count / 2] }

    private func milliseconds(_ value: Duration) -> Double { rounded(value / .milliseconds(1)) }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
