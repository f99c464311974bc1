// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP
import Kit
import System

/// From an event to the first request of what the extension then wants, at the server; beside starting the same extension in
/// bubblewrap by hand until it has answered.
struct DeviceWake: Benchmark {
    let name = "device-wake"
    let summary = "device-wake LARDERD EXTENSION FOLDER: from an event to the first request on the wire"

    private static let rounds = 21

    func run(_ arguments: [String], _ report: Report) async throws {
        guard arguments.count == 3 else { throw BenchmarkError(summary) }
        let (larderd, program, folder) = (FilePath(arguments[0]), FilePath(arguments[1]), FilePath(arguments[2]))
        let server = try FilmServer(folder: folder.appending("authority"))
        defer { server.stop() }
        func device(_ variables: [String: String]) async throws -> AppDevice {
            try await AppDevice(
                larderd: larderd, home: folder.appending("home"), trusting: server.authority,
                manifestURL: server.url("manifest"), extension: program, environment: variables)
        }
        let records = folder.appending("records")
        try SandboxRecording.prepare(in: records)
        let recorder = try await device(["PATH": "\(records):\(Environment.current["PATH"] ?? "")"])
        recorder.stop()
        let recording = try SandboxRecording(in: records)

        let device = try await device([:])
        defer { device.stop() }
        device.listen()
        _ = try await device.connection.send(DeveloperModeRequest(isOn: true))
        var (ours, byHand): ([Double], [Double]) = ([], [])
        for round in 0...Self.rounds {
            let manifest = server.offer("film-\(round)")
            let reference = try await offload { try recording.timeToAnswer(manifest: manifest) }
            let begin = ContinuousClock.now
            let reply = try await device.connection.send(SimulateRequest(app: AppDevice.app, event: "periodic"))
            guard reply.updating == ["film-\(round)"] else { throw BenchmarkError("the extension scheduled nothing") }
            let seconds = try await offload {
                try device.waitForFiles(1)
                return (server.firstRequest - begin) / .seconds(1)
            }
            guard round > 0 else { continue }
            ours.append(seconds)
            byHand.append(reference)
        }
        report.ratio(
            "event to the first request / the extension by hand", zip(ours, byHand).map { $0 / $1 }, .atMost(2),
            detail: "\(Report.rounded(Report.median(ours) * 1000)) ms against "
                + "\(Report.rounded(Report.median(byHand) * 1000)) ms")
    }
}

/// Serves the manifest, and the one film that it names; takes down when the film is first asked for.
private final class FilmServer: Sendable {
    private struct State: Sendable {
        var film = ""
        var asked = ContinuousClock.now
    }

    let authority: FilePath
    private let server: HTTPServer
    private let state: Locked<State>

    init(folder: FilePath) throws {
        let development = try DevelopmentAuthority(folder: folder)
        authority = development.certificateFile
        let state = Locked(State())
        self.state = state
        let configuration = HTTPServerConfiguration(
            host: "localhost", identity: try development.identity(hosts: ["localhost"]))
        server = try HTTPServer(configuration) { request in
            if request.path == "/manifest" {
                let host = request.headers["Host"] ?? ""
                return .text(200, state.withLock { "\($0.film) https://\(host)/\($0.film)" })
            }
            let now = ContinuousClock.now
            state.withLock { if request.path == "/\($0.film)" { $0.asked = now } }
            return .text(200, "film")
        }
    }

    func stop() { server.stop() }

    func url(_ path: String) -> String { "https://localhost:\(server.port)/\(path)" }

    /// From now on the manifest names this film.
    /// - Returns: the manifest.
    func offer(_ film: String) -> String {
        state.withLock { $0.film = film }
        return "\(film) \(url(film))"
    }

    var firstRequest: ContinuousClock.Instant { state.withLock { $0.asked } }
}
