// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit
internal import System

/// `larder-host`: takes packs from publishers, and serves them to devices.
package final class Host: Sendable {
    /// Where publishers and devices reach the host, without a slash at its end.
    package let url: String
    package let port: Int
    private let server: HTTPServer
    private let context: HostContext
    private let jobs: JobLanes
    private let sweeps: SweepTimer
    private let drainSeconds: Int64

    /// Opens the data folder, making it if need be, and listens.
    /// - Throws: `HostingError`, `DatabaseError`, `HTTPServerError`, `Errno`
    package init(_ configuration: HostConfiguration) async throws {
        let database = try await configuration.openDatabase()
        let secret = try await database.write { store in
            _ = try store.issuer()
            try store.settle(configuration)
            try store.notePatchesFrom(configuration.limits.patchesFrom)
            try store.prepareUpdatesWithoutRoom()
            return try store.setting("addressSecret") { Hexadecimal.encode(Identifier.secret()) }
        }
        context = HostContext(
            database: database, changes: try configuration.watch(database),
            blobs: try await configuration.openBlobs(), limits: configuration.limits,
            reviewsAutomatically: configuration.reviewsAutomatically,
            sendsToPrivateAddresses: configuration.sendsToPrivateAddresses,
            isBehindProxy: configuration.isBehindProxy, data: configuration.data,
            mail: configuration.mail, presence: try HostPresence(data: configuration.data),
            findPatchLibrary: configuration.findPatchLibrary, log: configuration.log,
            archives: ArchiveAddresses(
                database: database, lifetime: configuration.archiveLifetime,
                now: { configuration.clock().seconds }),
            manifestSigning: configuration.manifestSigning, addressSecret: Hexadecimal.decode(secret) ?? [],
            clock: configuration.clock,
            base: Locked(configuration.publicURL ?? ""))
        drainSeconds = configuration.drainSeconds
        jobs = JobLanes(context)
        let dispatcher = Dispatcher(context, jobs)
        var server = HTTPServerConfiguration(
            host: configuration.host, port: configuration.port, identity: configuration.identity)
        server.idleSeconds = configuration.idleSeconds
        server.bodyPlan = { dispatcher.plan(for: $0) }
        server.maximumRequestBody = configuration.limits.documentSize
        server.threads = max(2, Processors.count)
        server.immediate = { dispatcher.immediate($0) }
        server.count = { dispatcher.count($0) }
        if configuration.log.level <= .info { server.log = { dispatcher.log($0) } }
        self.server = try HTTPServer(server) { await dispatcher.respond(to: $0) }
        sweeps = SweepTimer(Sweeper(context))
        port = self.server.port
        url = configuration.publicURL ?? configuration.localURL(port: port)
        context.base.withLock { [url] in $0 = url }
    }

    /// Takes no more requests, answers those that are under way as long as that takes no longer than it may, leaves the job at
    /// hand to the next host, and closes the database.
    package func stop() async {
        _ = try? await offload { [server, drainSeconds, log = context.log] in
            if !server.drain(atMost: .seconds(drainSeconds)) {
                log.warning("Requests were broken off, since they took too long.")
            }
            server.stop()
        }
        await sweeps.stop()
        await jobs.stop()
        // Before the database, which folds its log into the file when it is the last.
        context.changes.close()
        await context.database.close()
    }
}
