// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Who writes to the disk, and has things there that may be deleted to make room.
protocol SpaceUser: AnyObject, Sendable {
    /// Bytes that running transfers but `key`'s will write, as far as is known.
    func outstanding(besides key: TransferKey?) async -> Int64
    /// What may be deleted, in no order.
    func purgeable() async -> [PurgePlan.Candidate]
    /// Deletes one of them, unless it is in use by now. Not to be called from within the user's turn.
    /// - Returns: whether it is gone.
    func purge(_ key: TransferKey) async -> Bool
}

/// Sees that there is room before something is written, and makes some when there is not (C10).
package actor SpaceKeeper {
    private let state: FilePath
    private let notes: NoteBoard
    private let log: Logger
    /// Deletes what apps no longer need; nobody is told that there is no room before it has.
    nonisolated let sweeper: Sweeper
    private nonisolated let users = Locked<[@Sendable () -> (any SpaceUser)?]>([])
    private nonisolated let shortage = Locked<@Sendable () async -> Bool>({ false })
    private var turn = TurnLock()

    /// - Parameter state: a folder on the file system that counts.
    init(state: FilePath, notes: NoteBoard, log: Logger) {
        self.state = state
        self.notes = notes
        self.log = log
        sweeper = Sweeper(below: state, log: log)
    }

    /// Takes a user in, for as long as it is there.
    nonisolated func attach(_ user: any SpaceUser) {
        users.withLock { $0.append { [weak user] in user } }
    }

    /// - Parameter ask: called when there is no room, and nothing that may go: asks those who use something to let go of it, and
    ///   answers whether anybody did.
    nonisolated func onShortage(_ ask: @escaping @Sendable () async -> Bool) { shortage.withLock { $0 = ask } }

    private nonisolated var present: [any SpaceUser] { users.withLock { $0 }.compactMap { $0() } }

    /// Bytes that running transfers but `key`'s, and but those of `user`, will write.
    func outstanding(besides key: TransferKey?, of user: (any SpaceUser)? = nil) async -> Int64 {
        var sum: Int64 = 0
        for other in present where other !== user {
            sum = sum.addingClamped(max(0, await other.outstanding(besides: key)))
        }
        return sum
    }

    // MARK: - Making room

    /// Sees whether there is room for something, and deletes what may be deleted if that makes room; otherwise nothing.
    /// - Parameters:
    ///   - name: what the room is for, as a person knows it.
    ///   - missing: what is not free, asked again after something was deleted.
    /// - Returns: whether there is room now, and what was done for it, in words.
    func makeRoom(
        for name: String, app: String, _ missing: @Sendable () async throws -> PurgePlan.Missing
    ) async rethrows -> (isThere: Bool, note: String?) {
        var notes: [String] = []
        // Each time something else may have been let go of; there is an end to that.
        var requests = 0
        while true {
            let room = try await tryToMakeRoom(for: name, app: app, missing)
            if let note = room.note { notes.append(note) }
            if room.isThere || requests == Self.requestLimit { return (room.isThere, Self.joined(notes)) }
            requests += 1
            guard await shortage.withLock({ $0 })() else {
                // A last look: a process that has just ended may have said nothing.
                let last = try await tryToMakeRoom(for: name, app: app, missing)
                return (last.isThere, Self.joined(notes + [last.note].compactMap { $0 }))
            }
        }
    }

    /// How often those who use something are asked to let go of it, for one thing that needs room.
    private static let requestLimit = 8

    private static func joined(_ notes: [String]) -> String? { notes.isEmpty ? nil : notes.joined(separator: " ") }

    private func tryToMakeRoom(
        for name: String, app: String, _ missing: @Sendable () async throws -> PurgePlan.Missing
    ) async rethrows -> (isThere: Bool, note: String?) {
        if try await missing().wanted <= 0 { return (true, nil) }
        return try await inTurn {
            // Again: what was before may have made room for this, too.
            let lacking = try await missing()
            switch PurgePlan.decide(lacking, await candidates()) {
            case .goOn: return (true, nil)
            case .refuse: return (false, nil)
            case .purge(let chosen):
                let purged = await delete(chosen, bytes: chosen.reduce(0) { $0.addingClamped($1.allocated) })
                return (try await missing().needed <= 0, tell(purged, "for \(name)", app: app))
            }
        }
    }

    /// Room for a transfer that is to begin or go on. It may be called from a thread that may block.
    /// - Parameters:
    ///   - expected: bytes that it will write by the best guess, and `least` those that it surely will.
    /// - Throws: `DeviceError` with code `noSpace`
    func makeRoom(for key: TransferKey, expected: Int64, least: Int64) async throws {
        let figures = Locked<(free: Int64, reserved: Int64)>((0, 0))
        let room = try await makeRoom(for: key.pack, app: key.app) { [self] in
            let space = try await measure()
            let others = await outstanding(besides: key)
            figures.withLock { $0 = (space.available, others) }
            let free = space.available.addingClamped(-others)
            let reserve = SpacePlanner(space: space, reserved: others).reserve
            return PurgePlan.Missing(
                wanted: expected.addingClamped(reserve).addingClamped(-free), needed: least.addingClamped(-free))
        }
        guard !room.isThere else { return }
        let (free, reserved) = figures.withLock { $0 }
        let others = reserved > 0 ? ", \(ByteCount.formatted(reserved)) of them for other downloads" : ""
        throw DeviceError(
            .noSpace,
            "\(key.pack) needs \(ByteCount.formatted(least)) of disk space, and \(ByteCount.formatted(free)) are free\(others). "
                + "Free at least \(ByteCount.formatted(least.addingClamped(reserved).addingClamped(-free))) and try again.",
            details: ["toWrite": "\(least)", "free": "\(free)", "reserved": "\(reserved)"])
    }

    /// Deletes what may be deleted until so much is freed, or nothing is left.
    func purge(_ bytes: Int64) async -> [PurgedFile] { await inTurn { await free(bytes) } }

    /// Makes room when less than the watermark is free.
    func relieve() async {
        guard let space = try? await measure(), PurgePlan.shortage(space) > 0 else {
            return
        }
        await inTurn {
            guard let space = try? await measure() else { return }
            _ = tell(await free(PurgePlan.shortage(space)), "because the disk is nearly full", app: nil)
        }
    }

    /// What there is, once what is being deleted is gone.
    func measure() async throws -> FileSystemSpace {
        try await offload { [sweeper, state] in try sweeper.space(at: state) }
    }

    private func free(_ bytes: Int64) async -> [PurgedFile] {
        let candidates = await candidates()
        return await delete(PurgePlan.choose(candidates, toFree: .max), bytes: bytes)
    }

    /// Deletes in order until so much is freed; what turns out to be in use is passed over.
    private func delete(_ candidates: [PurgePlan.Candidate], bytes: Int64) async -> [PurgedFile] {
        var purged: [PurgedFile] = []
        var missing = bytes
        for candidate in candidates where missing > 0 {
            for user in present {
                guard await user.purge(candidate.key) else { continue }
                missing -= candidate.allocated
                purged.append(
                    PurgedFile(
                        app: candidate.key.app, download: candidate.key.pack, size: candidate.allocated,
                        isRest: candidate.preservation.kind == .rest))
                break
            }
        }
        return purged
    }

    private func candidates() async -> [PurgePlan.Candidate] {
        var all: [PurgePlan.Candidate] = []
        for user in present { all += await user.purgeable() }
        return all
    }

    /// Tells that something was deleted; nil when nothing was.
    private func tell(_ purged: [PurgedFile], _ why: String, app: String?) -> String? {
        guard !purged.isEmpty else { return nil }
        let size = purged.reduce(Int64(0)) { $0.addingClamped($1.size) }
        let names = purged.prefix(5).map { "\($0.download) of \($0.app)" }.joined(separator: ", ")
        let more = purged.count > 5 ? " and \(purged.count - 5) more" : ""
        let note = "\(ByteCount.formatted(size)) of downloads were deleted to make room \(why): \(names)\(more)."
        notes.add(note, app: app)
        log.notice(
            "Downloads were deleted to make room.", ["count": "\(purged.count)", "bytes": "\(size)", "why": why])
        return note
    }

    private func inTurn<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if !turn.take() { await withCheckedContinuation { turn.enqueue($0) } }
        defer { turn.give() }
        return try await body()
    }
}
