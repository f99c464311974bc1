// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import PackNamespace
import System
import TestSupport

/// The device, server and app that power cuts happen to.
struct PowerCutStage: Sendable {
    let scratch: Scratch
    let server: AssetServer
    let device: Device
    let editions: [[SamplePack]]
    private let bundles: [FilePath]
    private static let group = "group.org.example.game"

    init(_ scratch: Scratch) throws {
        self.scratch = scratch
        server = try AssetServer(scratch)
        device = try Device(scratch)
        editions = try Publication(scratch).editions
        let server = server
        bundles = try (1...Publication.versions).map { version in
            var app = SampleApp()
            app.version = "\(version).0"
            (app.program, app.extensionProgram) = (nil, nil)
            app.manifestURL = server.manifestURL
            return try app.write(into: scratch, named: "Probe\(version)")
        }
        server.publish(editions[0])
        for film in PowerCutRecording.films {
            let bytes = StampedFile(pack: "film", version: 1, path: film, size: 150_000).bytes
            server.publish(try scratch.write(bytes, to: "films/\(film)"), as: "/films/\(film)")
        }
    }

    // MARK: - What clients do

    func install(_ version: Int) async throws {
        for event in try await device.install(bundles[version - 1], until: .complete) {
            if let error = event.error, event.phase.isFinal { throw error }
        }
    }

    func ensure(_ packs: [String]) async throws {
        let connection = try await device.connect()
        _ = try await connection.send(ManifestRequest(app: SampleApp.bundleID, refresh: true))
        let reply = try await connection.send(
            EnsureLocalAvailabilityRequest(app: SampleApp.bundleID, packs: packs, requireLatestVersions: true))
        if let failure = reply.failures.first { throw failure.error }
    }

    func scheduleFilms() async throws {
        let connection = try await device.connect()
        for film in PowerCutRecording.films {
            let download = DownloadDescription(
                identifier: film, uniqueIdentifier: film, url: "\(server.baseURL)/films/\(film)", fileSize: 150_000,
                appGroup: Self.group)
            _ = try await connection.send(ScheduleDownloadRequest(app: SampleApp.bundleID, download: download))
        }
    }

    /// Hears of all downloads that there are, and looks at their files.
    func takeFilms() async throws {
        let connection = try await device.connect()
        let events = connection.stream(DownloadEventsRequest(app: SampleApp.bundleID, isListening: true))
        var left = Set(
            try await connection.send(CurrentDownloadsRequest(app: SampleApp.bundleID)).downloads.map(\.identifier))
        let folder = device.paths.state.appending("groups").appending(Self.group).appending(".downloads")
        left.formUnion(((try? FileDescriptor.currentDirectory.entries(at: folder)) ?? []).map { "file \($0.name)" })
        guard !left.isEmpty else { return }
        for try await step in events {
            guard let number = step.number else { continue }
            if let file = step.file {
                let bytes = try File.read(FilePath(file))
                if case .failure(let fault) = bytes.withUnsafeBytes({
                    StampedFile.read($0, at: step.download.identifier)
                }) {
                    throw Violation("a download that was told is not whole: \(fault)")
                }
            }
            _ = try await connection.send(AcknowledgeDownloadRequest(app: SampleApp.bundleID, number: number))
            left.subtract([step.download.identifier, "file \(number)"])
            if left.isEmpty { return }
        }
    }

    // MARK: - What readers find

    /// Reads every file of the current generation; versions by pack.
    /// - Throws: `Violation` when one is not what the table says.
    func readAll() throws -> [String: Int] {
        let layout = AppRootLayout(root: device.paths.appRoot(SampleApp.bundleID))
        let handle: NamespaceHandle
        do {
            handle = try NamespaceHandle.openCurrent(of: layout)
        } catch {
            // A reader that gets nothing has seen nothing wrong.
            return [:]
        }
        guard handle.table.isIntact else { return [:] }
        let packs = handle.table.allPacks
        for index in 0..<handle.table.entryCount {
            guard let entry = handle.table.entry(at: index) else { throw Violation("no entry \(index)") }
            let (pack, path) = (packs[entry.pack], String(decoding: entry.path, as: UTF8.self))
            let bytes: [UInt8]
            do {
                let file = try handle.open(entry)
                bytes = try file.closeAfter { try file.readAll() }
            } catch {
                throw Violation("\(pack.id) \(pack.version): \(path) cannot be read: \(error)")
            }
            switch bytes.withUnsafeBytes({ StampedFile.read($0, at: path) }) {
            case .failure(let fault): throw Violation("\(pack.id) \(pack.version): \(fault)")
            case .success(let file) where file.pack != pack.id || file.version != Int(pack.version):
                throw Violation("\(path) of \(pack.id) \(pack.version) is of \(file.pack) \(file.version)")
            case .success: continue
            }
        }
        return Dictionary(uniqueKeysWithValues: packs.map { ($0.id, Int($0.version)) })
    }
}
