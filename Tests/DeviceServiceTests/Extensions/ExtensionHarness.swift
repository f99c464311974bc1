// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Database
import DeviceProtocol
import Kit
import System
import TestSupport

@testable import DeviceService

/// An app with `ProbeExtension`, and a host that runs it.
struct ExtensionHarness: Sendable {
    let scratch: Scratch
    let paths: LarderPaths
    let usage: UsageStore
    let notes = NoteBoard()
    let host: ExtensionHost

    static func with<Result: Sendable>(
        sandbox: ExtensionSandbox = ExtensionSandbox(), timeLimit: Duration = .seconds(30),
        storage: Int64? = FolderBound.standard, _ body: (ExtensionHarness) async throws -> Result
    ) async throws -> Result {
        try await Scratch.with { scratch in
            let paths = LarderPaths(state: scratch("s"), runtime: scratch("r"), configuration: scratch("c"))
            try paths.prepareState()
            let database = try await SQLiteDatabase(path: paths.database, migrations: Schema.migrations)
            let result = try await body(
                ExtensionHarness(scratch, paths, UsageStore(database: database), sandbox, timeLimit, storage))
            await database.close()
            return result
        }
    }

    private init(
        _ scratch: Scratch, _ paths: LarderPaths, _ usage: UsageStore, _ sandbox: ExtensionSandbox, _ limit: Duration,
        _ storage: Int64?
    ) {
        self.scratch = scratch
        self.paths = paths
        self.usage = usage
        host = ExtensionHost(
            sandbox: { sandbox }, usage: usage, notes: notes, log: .silent, timeLimit: limit,
            storage: { storage })
    }

    static let app = "org.example.game"
    var group: FilePath { get throws { try subject().group ?? FilePath() } }

    /// Writes the app's bundle.
    func subject(
        _ behaviour: String = "accept", in folder: String = "build", change: (inout AppFixture) -> Void = { _ in }
    ) throws -> ExtensionSubject {
        var fixture = AppFixture()
        fixture.identifier = Self.app
        fixture.keys = AppFixture.managedKeys(manifestURL: "https://localhost/manifest")
        fixture.files = ["Extensions/Downloader.appex/behaviour": Array(behaviour.utf8)]
        change(&fixture)
        let bundle = try AppBundleReader.bundle(at: try fixture.write(in: try scratch.makeDirectory(folder)))
        guard let subject = ExtensionSubject(bundle, paths: paths) else { throw Errno.invalidArgument }
        return subject
    }

    /// The same with the program of the build in it.
    func probe(_ behaviour: String, change: (inout AppFixture) -> Void = { _ in }) throws -> ExtensionSubject {
        let program = try Binaries.path("ProbeExtension")
        return try subject(behaviour) { fixture in
            fixture.extensionProgram = program
            change(&fixture)
        }
    }

    func ask(_ subject: ExtensionSubject, packs: [String] = ["Pack"]) async -> ExtensionHost.Decisions {
        let packs = packs.map { PackDescription(id: $0, version: 1, downloadSize: 1, policy: .prefetch) }
        return await host.shouldDownload(packs, event: "install", subject)
    }

    /// Has the extension try something.
    /// - Returns: its report; when it gave none, what the host says.
    func report(_ words: String...) async throws -> String {
        let subject = try probe("probe " + words.joined(separator: " "))
        let decisions = await ask(subject)
        if let trouble = decisions.trouble { return trouble }
        return String(decoding: try File.read(try group.appending("report")), as: UTF8.self)
    }
}
