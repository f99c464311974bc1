// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Finished files stay in the service's place until app or extension has heard of them, and may be purged there (C10).
extension DownloadStore {
    /// Deletes finished files that nobody has open, until so many bytes are freed or none is left.
    func purge(_ bytes: Int64) async -> [PurgedFile] { await inTurn { await purgeNow(bytes) } }

    /// Makes room when less than the watermark is free.
    func relieve() async { await inTurn { await relieveNow() } }

    /// As `relieve`, within a turn.
    func relieveNow() async {
        guard downloads.values.contains(where: { $0.state == .finished }) else { return }
        let state = tools.paths.state
        guard let space = try? await offload({ try FileSystemSpace(at: state) }) else { return }
        let shortage = PurgePlan.shortage(space)
        guard shortage > 0 else { return }
        let purged = await purgeNow(shortage)
        guard !purged.isEmpty else { return }
        tools.log.notice(
            "Finished downloads were deleted to make room.",
            ["count": "\(purged.count)", "bytes": "\(purged.reduce(0) { $0 + $1.size })"])
    }

    private func purgeNow(_ bytes: Int64) async -> [PurgedFile] {
        var candidates: [PurgePlan.Candidate] = []
        for (key, download) in downloads where download.state == .finished {
            let (places, isTold) = (places(key.app), told(key.app).contains(download.number ?? 0))
            let isBusy = isTold || waking[key.app] != nil || installing.contains(key.app)
            guard let status = try? await offload({ try places.status(download) }) else { continue }
            candidates.append(
                PurgePlan.Candidate(
                    key: key, allocated: status.allocatedSize, preservation: download.description.priority,
                    lastUse: status.modificationTime.seconds, isInUse: isBusy))
        }
        var purged: [PurgedFile] = []
        var missing = bytes
        // A file that turns out to be open is passed over, and others are chosen in its stead.
        while missing > 0 {
            let chosen = PurgePlan.choose(candidates, toFree: missing)
            guard !chosen.isEmpty else { break }
            for candidate in chosen {
                candidates.removeAll { $0.key == candidate.key }
                // It may have been told of since.
                guard let download = downloads[candidate.key], let number = download.number,
                    !told(candidate.key.app).contains(number)
                else { continue }
                let places = places(candidate.key.app)
                reserved.insert(number)
                defer { reserved.remove(number) }
                guard (try? await offload { try places.purge(download) }) == true else { continue }
                missing -= candidate.allocated
                purged.append(
                    PurgedFile(app: candidate.key.app, download: candidate.key.pack, size: candidate.allocated))
                await apply(.vanished, to: candidate.key)
            }
        }
        return purged
    }

    /// The app's downloads that have files, with what these take.
    func storage(_ app: String) async -> [DownloadStorage] {
        var result: [DownloadStorage] = []
        for download in all(app) {
            let places = places(app)
            guard let status = try? await offload({ try places.status(download) }) else { continue }
            result.append(
                DownloadStorage(
                    identifier: download.description.identifier, isFinished: download.state == .finished,
                    size: status.size, allocatedSize: status.allocatedSize))
        }
        return result
    }
}
