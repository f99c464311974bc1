// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Finished files stay in the service's place until app or extension has heard of them, and may be purged there (C10).
extension DownloadStore: SpaceUser {
    func outstanding(besides key: TransferKey?) -> Int64 {
        downloads.values.reduce(0) { sum, download in
            guard download.state == .downloading, download.key != key, let expected = download.expected else {
                return sum
            }
            return sum.addingClamped(max(0, expected - download.total))
        }
    }

    func purgeable() async -> [PurgePlan.Candidate] {
        var candidates: [PurgePlan.Candidate] = []
        for (key, download) in downloads where download.state == .finished {
            let places = places(key.app)
            let look = try? await offload { (try places.status(download), try places.isOpen(download)) }
            guard let (status, isOpen) = look else { continue }
            candidates.append(
                PurgePlan.Candidate(
                    key: key, allocated: status.allocatedSize, preservation: Preservation(download.description),
                    lastUse: max(status.modificationTime, status.accessTime),
                    isInUse: isOpen || isSpokenFor(key)))
        }
        return candidates
    }

    /// Whether somebody is being told of the download, or an install is to tell of it.
    private func isSpokenFor(_ key: TransferKey) -> Bool {
        guard let number = downloads[key]?.number else { return true }
        return installing.contains(key.app) || told(key.app).contains(number)
    }

    func purge(_ key: TransferKey) async -> Bool {
        guard key.owner == .downloads else { return false }
        return await inTurn {
            guard let download = downloads[key], download.state == .finished, let number = download.number,
                !isSpokenFor(key)
            else { return false }
            // From here on nobody is told of it: whoever comes meanwhile hears of it afterwards, if it is still there.
            reserved.insert(number)
            let places = places(key.app)
            let isGone = (try? await offload { try places.purge(download) }) ?? false
            reserved.remove(number)
            if isGone { await apply(.vanished, to: key) }
            deliver(key.app)
            return isGone
        }
    }

    /// Says that a file is being handed over, which counts as its use.
    func noteUse(_ download: Download) {
        guard download.state == .finished else { return }
        let places = places(download.app)
        // Should it fail, the time at which the file came counts.
        Task { try? await offload { try places.noteUse(download) } }
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

    /// The apps whose downloads lie in the group's folder, or will.
    func apps(downloadingInto group: String) -> Set<String> {
        Set(downloads.values.filter { $0.description.appGroup == group && $0.state != .failed }.map(\.app))
    }
}
