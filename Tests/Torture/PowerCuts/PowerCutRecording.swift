// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// A service's life under strace: an install, downloads, an update of the packs, one of the app, a fetch, a removal and the
/// uninstall, with what had been promised by then.
struct PowerCutRecording: Sendable {
    /// What a client was told and must find from then on.
    struct Promise: Sendable {
        /// At least this version of the app; nil: there may be none.
        var app: Int?
        /// At least these versions of packs.
        var packs: [String: Int] = [:]
    }

    let entries: [TraceReader.Entry]
    private let promises: [(end: Int, promise: Promise)]

    /// What held when an entry's call had returned.
    func promise(after entry: Int) -> Promise {
        promises.last { $0.end <= entries[entry].end }?.promise ?? Promise()
    }

    static let films = ["film-0", "film-1"]

    init(_ stage: PowerCutStage) async throws {
        guard let strace = Environment.findExecutable("strace") else {
            throw Violation("there is no strace here to record with (Debian: apt install strace)")
        }
        let trace = stage.scratch("trace")
        let service = try await stage.device.start(
            under: [
                strace.string, "-f", "-y", "-xx", "-s", "16777216", "-o", trace.string, "-e",
                "trace=\(TraceReader.calls.joined(separator: ","))",
            ])
        var promises: [(end: Int, promise: Promise)] = []
        var now = Promise()
        func promise(_ change: (inout Promise) -> Void) throws {
            change(&now)
            promises.append((Int(try FileDescriptor.currentDirectory.status(at: trace).size), now))
        }
        try await stage.device.trust(stage.server)
        try await stage.install(1)
        try promise { $0 = Promise(app: 1, packs: ["First": 1, "Second": 1]) }
        try await stage.scheduleFilms()
        try await stage.takeFilms()
        stage.server.publish(stage.editions[1])
        try await stage.ensure(Publication.always)
        try promise { $0.packs = ["First": 2, "Second": 2] }
        stage.server.publish(stage.editions[2])
        try await stage.install(3)
        try promise { $0 = Promise(app: 3, packs: ["First": 3, "Second": 3]) }
        try await stage.ensure(["Third"])
        try promise { $0.packs["Third"] = 3 }
        let connection = try await stage.device.connect()
        try promise { $0.packs["Third"] = nil }
        _ = try await connection.send(RemovePackRequest(app: SampleApp.bundleID, pack: "Third"))
        try promise { $0 = Promise() }
        _ = try await connection.send(UninstallRequest(app: SampleApp.bundleID))
        _ = try await connection.send(StopRequest())
        let code = try await service.end()
        guard code == 0 else {
            throw Violation("larderd ended with \(code) while it was recorded: \(service.errorText)")
        }
        let state = stage.device.paths.state.string
        entries = try await offload {
            let text = String(decoding: try File.read(trace), as: UTF8.self)
            return try TraceReader(text).entries.filter { $0.operation.concerns(state) }
        }
        self.promises = promises
    }
}

extension DiskOperation {
    fileprivate func concerns(_ root: String) -> Bool {
        switch self {
        case .makeFile(let path), .makeFolder(let path), .makeLink(let path, _), .resize(let path, _),
            .write(let path, _, _), .append(let path, _), .copy(_, _, let path, _, _), .rename(let path, _),
            .exchange(let path, _),
            .link(_, let path), .remove(let path), .flush(let path):
            path == root || path.hasPrefix(root + "/")
        case .flushAll: true
        }
    }
}
