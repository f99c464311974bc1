// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import SessionLibrary

/// Shows the films, fetches those that are missing, and hears of what comes.
final class Player: BADownloadManagerDelegate, Sendable {
    private let library: SessionLibrary
    /// Signalled at the end of every download.
    private let ends = NSCondition()

    struct Missing: LocalizedError {
        let id: String
        var errorDescription: String? { "There is no session “\(id)”, or it could not be fetched." }
    }

    init() throws { library = try SessionLibrary() }

    func list() -> String {
        library.sessions.map { "\($0.id)=\(library.has($0) ? "here" : "missing")" }.joined(separator: " ")
    }

    /// Plays a film; one that is still on its way is brought to the front, one that was purged is fetched again.
    func play(_ id: String) throws -> String {
        guard let session = library.sessions.first(where: { $0.id == id }) else { throw Missing(id: id) }
        if !library.has(session) {
            let manager = BADownloadManager.shared
            let coming = try manager.fetchCurrentDownloads().first { $0.identifier == id }
            try manager.startForegroundDownload(coming ?? session.download(mayBeEssential: false))
            try wait(for: session)
        }
        let film = try Data(contentsOf: library.film(of: id), options: .mappedIfSafe)
        return "\(id) \(film.count):\(Self.checksum(film))"
    }

    /// Schedules what is neither here nor on its way, as after a purge.
    func restore() throws -> String {
        let manager = BADownloadManager.shared
        let coming = Set(try manager.fetchCurrentDownloads().map(\.identifier))
        let missing = library.sessions.filter { !library.has($0) && !coming.contains($0.id) }
        for session in missing { try manager.scheduleDownload(session.download(mayBeEssential: false)) }
        return missing.map(\.id).joined(separator: " ")
    }

    func join(_ name: String, _ password: String) throws { try library.keepMembership(name: name, password: password) }

    private func wait(for session: Session) throws {
        ends.lock()
        defer { ends.unlock() }
        let deadline = Date(timeIntervalSinceNow: 60)
        while !library.has(session) {
            guard ends.wait(until: deadline) else { throw Missing(id: session.id) }
        }
    }

    /// FNV-1a, 64 bits.
    private static func checksum(_ data: Data) -> String {
        String(data.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }

    // MARK: - What the system tells

    func download(
        _ download: BADownload, didWriteBytes bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite > 0 else { return }
        say("progress \(download.identifier) \(totalBytesWritten * 100 / totalBytesExpectedToWrite)%")
    }

    func download(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        if challenge.protectionSpace.serverTrust == nil { say("asked \(download.identifier)") }
        return library.answer(challenge)
    }

    func download(_ download: BADownload, finishedWithFileURL fileURL: URL) {
        BADownloadManager.shared.withExclusiveControl { acquired, _ in
            guard acquired else { return }
            do {
                try library.keep(fileURL, as: download.identifier)
                say("finished \(download.identifier)")
            } catch {
                say("lost \(download.identifier) \(error)")
            }
        }
        wakeAll()
    }

    func download(_ download: BADownload, failedWithError error: any Error) {
        say("failed \(download.identifier) \(error.localizedDescription)")
        wakeAll()
    }

    private func wakeAll() { ends.withLock { ends.broadcast() } }
}
