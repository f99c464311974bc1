// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Glibc
import Kit
import System
import TestSupport

@testable import DeviceService

/// A service with an app whose extension is `ProbeDownloader`.
struct ProbeDownloaderHarness: Sendable {
    let service: ServiceHarness

    static func with(_ body: (ProbeDownloaderHarness) async throws -> Void) async throws {
        try await ServiceHarness.with([]) { try await body(ProbeDownloaderHarness(service: $0)) }
    }

    /// What the server has, and how the extension names it.
    struct File {
        var name: String
        var bytes: [UInt8]
        var isEssential = false
        /// What the manifest says of its size; nil tells the truth.
        var claimedSize: Int?
    }

    func offer(_ files: File...) {
        var list = ""
        for file in files {
            service.server.serve(file.bytes, as: file.name)
            list += "\(file.name) \(service.server.url(file.name)) \(file.claimedSize ?? file.bytes.count)"
            list += file.isEssential ? " essential\n" : "\n"
        }
        service.server.serve(Array(list.utf8), as: "list")
    }

    func bundle(_ keys: [String: String?] = [:]) throws -> String {
        let program = try Binaries.path("ProbeDownloader")
        return try service.bundle { fixture in
            fixture.extensionProgram = program
            fixture.keys = [
                "BAAppGroupID": "<string>\(ServiceHarness.group)</string>",
                "BAManifestURL": "<string>https://localhost/list</string>",
            ].merging(keys) { $1 }
        }
    }

    @discardableResult
    func install(_ keys: [String: String?] = [:]) async throws -> [InstallEvent] {
        try await service.install(try bundle(keys))
    }

    /// The app installed without downloads, and launched.
    func launchedApp() async throws -> DeviceConnection {
        offer()
        try await install()
        let connection = try await service.connect()
        _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
        return connection
    }

    var group: FilePath { service.paths.state.appending("groups").appending(ServiceHarness.group) }

    /// What the extension wrote down.
    var journal: [String] {
        let bytes = (try? Kit.File.read(group.appending("journal"), limit: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until the extension has written this line as its last.
    func waitForLine(_ line: String) async throws {
        try await FolderWatch.wait(in: group) { journal.last == line }
    }

    /// Files of downloads that nobody took.
    func files() throws -> [String] {
        let folder = group.appending(".downloads")
        guard FileDescriptor.currentDirectory.exists(at: folder) else { return [] }
        return try FileDescriptor.currentDirectory.entries(at: folder).map(\.name).sorted()
    }

    // MARK: - Holding the extension

    /// The extension stops before it returns from its next request.
    func prepareHold() throws {
        try FileDescriptor.currentDirectory.makeDirectories(at: group, permissions: .directoryPrivate)
        for name in ["hold", "release"] where mkfifo(group.appending(name).string, 0o600) != 0 {
            throw Errno(rawValue: errno)
        }
    }

    /// Returns when the extension has stopped there.
    func waitUntilHeld() async throws {
        let hold = group.appending("hold")
        try await onOwnThread { _ = try OwnedDescriptor(hold, .readOnly) }
    }

    /// It is not to go on, and the next one is not to stop.
    func forgetHold() throws {
        for name in ["hold", "release"] { try FileDescriptor.currentDirectory.remove(at: group.appending(name)) }
    }

    /// Lets it go on, and stop no more.
    func release() async throws {
        let (hold, release) = (group.appending("hold"), group.appending("release"))
        try await onOwnThread {
            try FileDescriptor.currentDirectory.remove(at: hold)
            _ = try OwnedDescriptor(release, .writeOnly)
            try FileDescriptor.currentDirectory.remove(at: release)
        }
    }
}
