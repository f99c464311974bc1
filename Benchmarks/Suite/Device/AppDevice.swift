// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import DeviceProtocol
import Foundation
import Kit
import System
import TestSupport

/// A device with one app, installed and launched, that has downloads of its own. This process becomes that app.
final class AppDevice: Sendable {
    static let app = "org.example.Bench"
    static let group = "group.org.example.Bench"

    let service: ChildProcess
    let connection: DeviceConnection
    private let listener: DownloadEnds
    private let taken: FilePath

    /// - Parameters:
    ///   - home: where the device keeps everything, files too.
    ///   - authority: what it trusts besides the system's authorities.
    ///   - manifestURL: where the app's manifest is, for an app with an extension.
    ///   - program: the extension.
    ///   - settings: what a person has set, by name.
    ///   - variables: more of the service's environment.
    init(
        larderd: FilePath, home: FilePath, trusting authority: FilePath? = nil, manifestURL: String? = nil,
        extension program: FilePath? = nil, settings: [String: String] = [:],
        environment variables: [String: String] = [:]
    ) async throws {
        taken = home.appending("taken")
        listener = DownloadEnds(taken)
        try FileDescriptor.currentDirectory.makeDirectories(at: taken)
        let launcher = try ServiceLauncher(larderd: larderd, home: home, environment: variables)
        service = try launcher.start()
        try launcher.waitForAnswer(of: service)
        connection = try await DeviceConnection.connect(paths: launcher.paths, client: "bench", startIfNeeded: false)
        for (name, value) in settings {
            _ = try await connection.send(SettingsSetRequest(name: name, app: nil, value: value))
        }
        if let authority {
            let pem = String(decoding: try File.read(authority, limit: 1 << 20), as: UTF8.self)
            _ = try await connection.send(TrustAddRequest(name: "bench", pem: pem))
        }
        let bundle = try Self.bundle(in: home, manifestURL, program)
        for try await event in connection.stream(InstallRequest(path: bundle.string)) {
            if let error = event.error { throw error }
        }
        _ = try await connection.send(LaunchRequest(app: Self.app))
        launcher.becomeApp(Self.app)
    }

    private static func bundle(in home: FilePath, _ manifestURL: String?, _ program: FilePath?) throws -> FilePath {
        var app = AppFixture()
        app.identifier = Self.app
        app.keys = ["BAAppGroupID": "<string>\(Self.group)</string>"]
        if let manifestURL { app.keys["BAManifestURL"] = "<string>\(manifestURL)</string>" }
        app.hasExtension = program != nil
        app.extensionProgram = program
        let place = home.appending("bundle")
        try FileDescriptor.currentDirectory.makeDirectories(at: place)
        return try app.write(in: place)
    }

    func stop() {
        // A listener would have the service started anew.
        BADownloadManager.shared.delegate = nil
        _ = try? service.stop(grace: .seconds(10))
    }

    /// From now on this process hears how downloads end, and no extension does.
    func listen() { BADownloadManager.shared.delegate = listener }

    /// Blocks until so many downloads have come since it was called last, and the app has put them where it wants them.
    /// - Throws: what kept one away.
    func waitForFiles(_ count: Int) throws { try listener.wait(for: count) }

    /// Deletes the files that came.
    func removeFiles() throws {
        try FileDescriptor.currentDirectory.removeTree(at: taken)
        try FileDescriptor.currentDirectory.makeDirectories(at: taken)
    }
}

/// Takes the files that come, and counts.
private final class DownloadEnds: BADownloadManagerDelegate, Sendable {
    private struct Ends: Sendable {
        var finished = 0
        var problem: String?
    }

    private let ends = Monitor(Ends())
    private let folder: FilePath

    init(_ folder: FilePath) { self.folder = folder }

    func download(_ download: BADownload, finishedWithFileURL fileURL: URL) {
        let place = folder.appending(download.identifier)
        do {
            try FileManager.default.moveItem(atPath: fileURL.path, toPath: place.string)
            ends.withLock { $0.finished += 1 }
        } catch {
            ends.withLock { $0.problem = "\(download.identifier): \(error)" }
        }
    }

    func download(_ download: BADownload, failedWithError error: any Error) {
        ends.withLock { $0.problem = "\(download.identifier): \(error)" }
    }

    func wait(for count: Int) throws {
        let problem = ends.wait { ends -> String?? in
            guard ends.problem == nil else { return .some(ends.problem) }
            guard ends.finished >= count else { return nil }
            ends.finished -= count
            return .some(nil)
        }
        if let problem { throw BenchmarkError(problem) }
    }
}
