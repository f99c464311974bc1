// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System
import TestSupport

@testable import DeviceService

extension ServiceHarness {
    static let group = "group.org.example.game"

    /// A service with an installed app without managed packs, launched before unless told otherwise.
    static func withUnmanagedApp(
        launched: Bool = true, keys: [String: String?] = [:],
        _ body: (ServiceHarness, DeviceConnection) async throws -> Void
    ) async throws {
        try await with([]) { harness in
            let bundle = try harness.bundle { fixture in
                fixture.keys = ["BAAppGroupID": "<string>\(group)</string>"]
                fixture.keys.merge(keys) { $1 }
                fixture.hasExtension = false
            }
            try await harness.install(bundle)
            let connection = try await harness.connect()
            if launched { _ = try await connection.send(LaunchRequest(app: app)) }
            try await body(harness, connection)
        }
    }

    func download(
        _ name: String, size: Int64? = nil, essential: Bool = false, priority: Int = 0, url: String? = nil
    ) -> DownloadDescription {
        DownloadDescription(
            identifier: name, uniqueIdentifier: "unique-\(name)-\(Int.random(in: 0...Int.max))",
            url: url ?? server.url(name),
            priority: priority, isEssential: essential, fileSize: size, appGroup: Self.group)
    }

    func schedule(_ download: DownloadDescription, _ connection: DeviceConnection) async throws {
        _ = try await connection.send(ScheduleDownloadRequest(app: Self.app, download: download))
    }

    func current(_ connection: DeviceConnection) async throws -> [DownloadDescription] {
        try await connection.send(CurrentDownloadsRequest(app: Self.app)).downloads
    }

    /// Files of downloads, whole and partial, by path below the app's folder for them.
    func downloadFiles() async throws -> [String] {
        let root = paths.appRoot(Self.app).appending("downloads")
        return try await offload {
            var found: [String] = []
            func look(_ folder: FilePath, _ prefix: String) throws {
                guard FileDescriptor.currentDirectory.exists(at: folder) else { return }
                for entry in try FileDescriptor.currentDirectory.entries(at: folder) {
                    if entry.kind == .directory {
                        try look(folder.appending(entry.name), prefix + entry.name + "/")
                    } else {
                        found.append(prefix + entry.name)
                    }
                }
            }
            try look(root, "")
            return found.sorted()
        }
    }
}

/// Reads a stream of events as a test needs them.
struct DownloadEars {
    private var iterator: AsyncThrowingStream<DownloadStep, any Error>.AsyncIterator
    let connection: DeviceConnection

    init(
        _ connection: DeviceConnection, isListening: Bool = true, foreground: [String]? = nil,
        answersChallenges: Bool = false
    ) {
        self.connection = connection
        let request = DownloadEventsRequest(
            app: ServiceHarness.app, isListening: isListening, foreground: foreground,
            answersChallenges: answersChallenges)
        iterator = connection.stream(request).makeAsyncIterator()
    }

    struct Missing: Error {}

    /// The next event of this kind; others are passed over.
    mutating func next(_ changes: DownloadStep.Change...) async throws -> DownloadStep {
        while let step = try await iterator.next() {
            if changes.contains(step.change) { return step }
        }
        throw Missing()
    }

    /// The next end, acknowledged after `body` has seen it.
    @discardableResult
    mutating func end(_ body: (DownloadStep) async throws -> Void = { _ in }) async throws -> DownloadStep {
        let step = try await next(.finished, .failed)
        try await body(step)
        if let number = step.number {
            _ = try await connection.send(AcknowledgeDownloadRequest(app: ServiceHarness.app, number: number))
        }
        return step
    }
}
