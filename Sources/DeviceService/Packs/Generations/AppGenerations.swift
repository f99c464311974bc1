// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import System

/// The generations and pack versions of one app on disk: makes the next one, switches to it, and deletes what neither
/// the current one nor a reader needs.
///
/// All calls block and take turns; they belong on owned threads. `docs/formats/namespace.md` has the rules.
final class AppGenerations: Sendable {
    let layout: AppRootLayout
    private let hook: CommitHook?
    private let onCollected: (@Sendable () -> Void)?
    let log: Logger
    let links: BundleLinks
    private let sweeper: Sweeper?
    let turn = Monitor(Turn())

    struct Turn {
        var retired = false
        /// Stale generations for which a thread waits until their lease is let go.
        var waitedFor: Set<UInt64> = []
    }

    /// So many threads wait for leases at most; beyond that, the next switch or start looks again.
    private static let maximumWaiters = 16

    /// - Parameters:
    ///   - sweeper: deletes versions that were replaced; without one, that is done before a commit returns.
    ///   - onCollected: called when a reader had let a generation go and what only it named was deleted.
    init(
        layout: AppRootLayout, log: Logger = .silent, sweeper: Sweeper? = nil,
        onCollected: (@Sendable () -> Void)? = nil,
        hook: CommitHook? = nil
    ) {
        self.layout = layout
        self.sweeper = sweeper
        links = BundleLinks(layout: layout)
        self.hook = hook
        self.log = log
        self.onCollected = onCollected
    }

    // MARK: - What is there

    /// The number of the generation in force; nil when there is none.
    func currentNumber() -> UInt64? {
        guard let target = try? FileDescriptor.currentDirectory.readLink(at: layout.current),
            let name = FilePath(target).lastComponent?.string
        else { return nil }
        return UInt64(name)
    }

    /// Calls `body` with the table in force, or nil when there is none.
    /// - Throws: `NamespaceError` when it is damaged, `Errno`, and what `body` throws.
    func withCurrentTable<Result>(_ body: (NamespaceTable?) throws -> Result) throws -> Result {
        try turn.withLock { _ in try withTable(of: currentNumber(), body) }
    }

    func withTable<Result>(of number: UInt64?, _ body: (NamespaceTable?) throws -> Result) throws -> Result {
        guard let number else { return try body(nil) }
        let path = layout.namespace(number)
        let file = try OwnedDescriptor(path, .readOnly)
        let mapping = try MappedFile(file.borrowed)
        return try withExtendedLifetime(mapping) {
            try body(try NamespaceTable(mapping.bytes, source: path.string))
        }
    }

    func localPacks() throws -> [NamespacePack] { try withCurrentTable { $0?.allPacks ?? [] } }

    // MARK: - Changes

    /// Makes the folders and, when there is none, the first and empty generation.
    /// - Throws: `Errno`, `StoreError`
    func prepare() throws {
        try turn.withLock { turn in
            let here = FileDescriptor.currentDirectory
            for folder in [layout.generations, layout.packs, layout.staging] {
                try here.makeDirectories(at: folder)
            }
            turn.retired = false
            if currentNumber() == nil { try publish(NamespaceWriter(generation: 1), number: 1) }
        }
    }

    /// Makes a sealed pack local, in place of any other version of it. Going on after a crash at any step is the same call.
    /// - Throws: `Errno`, `StoreError`, `NamespaceError`; what was done so far is kept for the next try.
    func commit(_ pack: StagedPack) throws {
        try turn.withLock { turn in
            guard !turn.retired else { throw Self.retiredError(layout) }
            let record = try pack.readSeal()
            let here = FileDescriptor.currentDirectory
            let target = layout.root.appending(record.directory)
            let current = currentNumber()
            let isPublished = try withTable(of: current) { table in
                table?.allPacks.contains { $0.id == record.id && $0.directory == record.directory } ?? false
            }
            if !isPublished {
                let isMoved = here.exists(at: target)
                if !isMoved {
                    try here.makeDirectories(at: target.removingLastComponent())
                    try here.rename(from: pack.contents, to: target, mode: .exclusive)
                }
                let hasList = here.exists(at: pack.list)
                if hasList { try here.rename(from: pack.list, to: ContentList.path(of: target)) }
                if !isMoved || hasList {
                    try Self.synchronize(pack.directory, target.removingLastComponent(), layout.packs)
                }
                try hook?(.packMoved)
                let former = try withTable(of: current) { Self.files(of: record.id, $0) }
                try link(pack, record)
                let number = (current ?? 0) + 1
                var writer = NamespaceWriter(generation: number)
                try writer.begin(record.namespacePack)
                try pack.forEachFile { try writer.add(path: $0.path, size: $0.size) }
                try withTable(of: current) { table in
                    if let table { try writer.carry(table, excluding: [record.id]) }
                }
                try publish(writer, number: number)
                if let former { try links.unlink(record.id, files: former.files, in: former.directory) }
            }
            try pack.remove()
            try hook?(.stagingRemoved)
            collect(&turn, by: sweeper)
        }
    }

    /// Takes packs out of the merged tree. Their files go when no reader holds them.
    /// - Returns: the ids that were local.
    /// - Throws: `Errno`, `NamespaceError`
    @discardableResult
    func remove(_ packs: Set<String>) throws -> Set<String> {
        try turn.withLock { turn in
            let current = currentNumber()
            let present = try withTable(of: current) { table in
                packs.intersection(table?.allPacks.map(\.id) ?? [])
            }
            guard !present.isEmpty, let current else { return [] }
            var writer = NamespaceWriter(generation: current + 1)
            try withTable(of: current) { table in
                if let table { try writer.carry(table, excluding: present) }
            }
            let gone = try withTable(of: current) { table in present.compactMap { Self.files(of: $0, table) } }
            try publish(writer, number: current + 1)
            for pack in gone { try links.unlink(pack.id, files: pack.files, in: pack.directory) }
            collect(&turn)
            return present
        }
    }

    /// The app is going: readers are told, everything below the root that is the store's is deleted.
    /// - Throws: `Errno`
    func retire() throws {
        try turn.withLock { turn in
            turn.retired = true
            let here = FileDescriptor.currentDirectory
            if here.exists(at: layout.counter) { try GenerationCounter.store(AppRootLayout.retiredCounter, in: layout) }
            for path in [layout.current, layout.generations, layout.packs, layout.staging, layout.counter] {
                try here.removeTree(at: path)
            }
        }
    }

    private static func retiredError(_ layout: AppRootLayout) -> StoreError {
        StoreError(.notFound, "The app of \(layout.root) was uninstalled; install it again.")
    }

    /// Switches to a generation without packs.
    /// - Throws: `Errno`
    func publishEmpty() throws {
        try turn.withLock { _ in
            let number = (currentNumber() ?? 0) + 1
            try publish(NamespaceWriter(generation: number), number: number)
        }
    }

    /// Has the counter follow `current`, which a crash may have left behind.
    /// - Throws: `Errno`
    func storeCounter() throws {
        try turn.withLock { _ in
            if let current = currentNumber() { try GenerationCounter.store(current, in: layout) }
        }
    }

    /// Writes a generation and switches to it.
    private func publish(_ writer: consuming NamespaceWriter, number: UInt64) throws {
        let here = FileDescriptor.currentDirectory
        let bytes = try writer.finish()
        let folder = layout.generation(number)
        // Left by a crash before the switch: no reader can have seen it.
        try here.removeTree(at: folder)
        try here.makeDirectory(at: folder)
        try hook?(.generationMade)
        do {
            try AtomicFile.write([], to: layout.lease(number), durable: false)
            try AtomicFile.write(bytes, to: layout.namespace(number), durable: true)
            try Self.synchronize(layout.generations)
            try hook?(.generationWritten)
            let next = layout.root.appending(".\(AppRootLayout.currentName).next")
            try here.removeTree(at: next)
            try here.makeSymbolicLink(to: "generations/\(number)", at: next)
            try here.rename(from: next, to: layout.current)
            try Self.synchronize(layout.root)
        } catch {
            if StoreError.isNoSpace(error) { _ = try? here.removeTree(at: folder) }
            throw error
        }
        try hook?(.switched)
        try GenerationCounter.store(number, in: layout)
        try hook?(.counterStored)
    }

    private static func synchronize(_ folders: FilePath...) throws {
        for folder in folders {
            let directory = try OwnedDescriptor(folder, .readOnly, options: .directory)
            try directory.borrowed.synchronize(dataOnly: false)
        }
    }

    // MARK: - Deleting

    /// Deletes what nobody needs any more. Trouble is logged: what stays is looked at again next time.
    func collect() { turn.withLock { collect(&$0) } }

    /// - Parameter sweeper: deletes versions later; without one they are gone when this returns.
    func collect(_ turn: inout Turn, by sweeper: Sweeper? = nil) {
        guard !turn.retired, let current = currentNumber() else { return }
        do {
            var needed = try directories(of: current)
            for number in try staleGenerations(current) {
                if try deleteIfUnused(number) {
                    turn.waitedFor.remove(number)
                } else {
                    // A damaged table that a reader holds names nothing; the reader got nothing from it either.
                    needed.formUnion((try? directories(of: number)) ?? [])
                    awaitLease(of: number, &turn)
                }
            }
            try deleteVersions(except: needed, by: sweeper)
        } catch {
            log.warning("Old files could not be deleted", ["root": layout.root.string, "error": "\(error)"])
        }
    }

    private func directories(of number: UInt64) throws -> Set<String> {
        try withTable(of: number) { Set($0?.allPacks.map(\.directory) ?? []) }
    }

    private func staleGenerations(_ current: UInt64) throws -> [UInt64] {
        let here = FileDescriptor.currentDirectory
        return try here.entries(at: layout.generations).compactMap { entry in
            guard let number = UInt64(entry.name) else { return nil }
            return number == current ? nil : number
        }
    }

    /// Deletes a generation under the exclusive lock, the lease first, so that a reader who opened it a moment ago
    /// sees that it is gone. False when a reader holds it.
    private func deleteIfUnused(_ number: UInt64) throws -> Bool {
        let here = FileDescriptor.currentDirectory
        let lease: OwnedDescriptor
        do {
            lease = try OwnedDescriptor(layout.lease(number), .readOnly)
        } catch Errno.noSuchFileOrDirectory {
            try here.removeTree(at: layout.generation(number))
            return true
        }
        guard try lease.borrowed.tryLock(.exclusive) else { return false }
        try here.remove(at: layout.lease(number))
        try here.removeTree(at: layout.generation(number))
        return true
    }

    private func deleteVersions(except needed: Set<String>, by sweeper: Sweeper?) throws {
        let here = FileDescriptor.currentDirectory
        for pack in try here.entries(at: layout.packs) {
            let folder = layout.pack(pack.name)
            var kept = 0
            for entry in try here.entries(at: folder) {
                // A version's list stays and goes with it.
                let version = ContentList.version(of: entry.name)
                if needed.contains("packs/\(pack.name)/\(version)") || isSealed(pack.name, version) {
                    kept += 1
                } else {
                    let path = folder.appending(entry.name)
                    if let sweeper, entry.kind == .directory, (try? sweeper.discard(path)) != nil { continue }
                    try here.removeTree(at: path)
                }
            }
            if kept == 0 { _ = try? here.removeDirectory(at: folder) }
        }
    }

    /// Whether a commit that was broken off had moved these files here, and is still to be finished.
    func isSealed(_ pack: String, _ version: String) -> Bool {
        let staged = StagedPack(layout: layout, id: pack)
        return (try? staged.readSeal())?.directory == "packs/\(pack)/\(version)"
    }

    /// Has a thread of its own wait until no reader holds the generation, and then look again. It blocks in the kernel:
    /// nothing is polled.
    private func awaitLease(of number: UInt64, _ turn: inout Turn) {
        guard !turn.waitedFor.contains(number), turn.waitedFor.count < Self.maximumWaiters else { return }
        let lease = layout.lease(number)
        do {
            try WorkerThread.start(name: "larder-lease", stackSize: 128 << 10) { [weak self] in
                // Taken and let go at once: deleting takes it again, under the turn.
                _ = try? FileLock.acquire(lease, .exclusive, create: false)
                self?.leaseWasFreed(number)
            }
            turn.waitedFor.insert(number)
        } catch {
            log.warning("No thread to wait for a lease", ["root": layout.root.string, "error": "\(error)"])
        }
    }

    private func leaseWasFreed(_ number: UInt64) {
        turn.withLock { turn in
            turn.waitedFor.remove(number)
            collect(&turn)
        }
        onCollected?()
    }
}
