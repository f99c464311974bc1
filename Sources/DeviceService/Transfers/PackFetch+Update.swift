// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import HTTP
import Kit
import PackNamespace
import System

extension PackFetch {
    /// Makes the pack local out of what is, when its server lists an index.
    /// - Returns: whether it is local; if not, what that took, and why the archive is fetched whole when that is of interest.
    /// - Throws: what ends the attempt: trouble that may pass, a stop, a full disk.
    func update(_ brought: inout Bool) throws -> (isDone: Bool, spent: PackArrival) {
        let staged = StagedPack(layout: generations.layout, id: download.id)
        guard download.index != nil, !isArchiveUnderWay(staged) else { return (false, PackArrival()) }
        let own = try UpdateFetch.Own(download.id, generations, attempt)
        guard UpdateCheckpoint.read(staged) != nil || !LocalVersions(appRoot: generations.layout.root).isEmpty else {
            return (false, PackArrival())
        }
        let fetch = UpdateFetch(
            download, staged: staged, own: own, attempt: attempt, options: options, permitsHost: permitsHost,
            makeRoom: makeRoom, log: generations.log, report: report)
        defer { brought = brought || fetch.brought }
        let tally: PackArrival
        do {
            tally = try fetch.run(directory: newDirectory())
        } catch  where !mayGoWhole(error) {
            throw error
        } catch {
            let why =
                (error as? UpdateFetch.Unsuitable)?.why ?? (error as? any LarderError)?.message.clause ?? error.clause
            generations.log.notice("A pack is fetched whole", ["pack": download.id, "because": why])
            try staged.remove()
            var spent = PackArrival()
            (spent.moved, spent.requests, spent.notes) = (fetch.spent.moved, fetch.spent.requests, [why])
            return (false, spent)
        }
        // What fails from here on is not the update's doing: staging stays, and is committed by the next attempt.
        try generations.commit(staged)
        self.tally.withLock { $0 = tally }
        generations.log.info("A pack was updated", tally.fields(download.id))
        return (true, tally)
    }

    /// Whether the archive itself is being fetched, and some of it is there.
    private func isArchiveUnderWay(_ staged: StagedPack) -> Bool {
        (try? StagedPack.read(StagingIdentity.self, staged.identity)) == download.identity
            && StagingCheckpoint.read(staged) != nil
    }

    private func mayGoWhole(_ error: any Error) -> Bool {
        !(attempt.isStopped || StoreError.isNoSpace(error) || (error as? StoreError)?.code == .noSpace
            || (error as? HTTPClientError)?.isTransient == true)
    }
}

extension PackArrival {
    /// For the log.
    func fields(_ pack: String) -> [String: String] {
        [
            "pack": pack, "moved": "\(moved)", "requests": "\(requests)", "written": "\(written)",
            "linked": "\(linked)", "copied": "\(copied)", "patched": "\(patched)",
            "notes": notes.joined(separator: "; "),
        ]
    }
}

extension PackPipeline {
    /// How the archive came.
    /// - Parameter spent: what an update took that did not work out.
    func tally(after spent: PackArrival) -> PackArrival {
        var tally = spent
        tally.moved += download.downloadSize
        tally.written = bytesWritten
        tally.linked = linked
        tally.isWhole = true
        return tally
    }
}
