// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Kit
import TestSupport

/// Unmanaged downloads of the campaign's app. The file that was moved is the token: it names the download it came by, so
/// that an end which is told twice is seen whoever was killed in between.
final class FilmDownloads: BADownloadManagerDelegate, Sendable {
    static let group = "group.org.example.game"

    private let folder: URL
    private let failed = Locked<Set<String>>([])
    /// One at a time: what ends while all are brought to the front, and is acknowledged, would be started as a new one.
    private let turn = Locked(())

    struct NoGroup: Error {}

    init() throws {
        guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: Self.group) else {
            throw NoGroup()
        }
        folder = container.appendingPathComponent("Films", isDirectory: true)
    }

    func run(_ words: [String]) throws -> String {
        switch (words[0], words.count) {
        case ("schedule", 4): try schedule(words[1], words[2], size: Int(words[3]) ?? 0)
        case ("cancel", 2): try cancel(words[1])
        default: return "\(try promote())"
        }
        return words[1]
    }

    private func schedule(_ id: String, _ address: String, size: Int) throws {
        guard let url = URL(string: address) else { throw NoGroup() }
        try BADownloadManager.shared.scheduleDownload(
            BAURLDownload(
                identifier: id, request: URLRequest(url: url), essential: false, fileSize: size,
                applicationGroupIdentifier: Self.group, priority: .default))
    }

    private func cancel(_ id: String) throws {
        for download in try BADownloadManager.shared.fetchCurrentDownloads() where download.identifier == id {
            try BADownloadManager.shared.cancel(download)
        }
    }

    /// Brings all to the front; how many there are.
    private func promote() throws -> Int {
        try turn.withLock { _ in
            let all = try BADownloadManager.shared.fetchCurrentDownloads()
            for download in all { try BADownloadManager.shared.startForegroundDownload(download) }
            return all.count
        }
    }

    // MARK: - What the system tells

    func download(_ download: BADownload, finishedWithFileURL fileURL: URL) {
        turn.withLock { _ in take(download, fileURL) }
    }

    private func take(_ download: BADownload, _ fileURL: URL) {
        let (id, token) = (download.identifier, "\(download.identifier)~\(download.uniqueIdentifier)")
        let target = folder.appendingPathComponent(token)
        if FileManager.default.fileExists(atPath: target.path) {
            say("violation the end of \(token) was told again after its file had been moved")
        }
        do {
            let bytes = try Data(contentsOf: fileURL)
            if case .failure(let fault) = bytes.withUnsafeBytes({ StampedFile.read($0, at: id) }) {
                say("violation download \(token): \(fault)")
            }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.moveItem(at: fileURL, to: target)
            say("finished \(id)")
        } catch {
            say("violation the file of \(token) was told and cannot be taken: \(error)")
        }
    }

    func download(_ download: BADownload, failedWithError error: any Error) {
        if !failed.withLock({ $0.insert(download.uniqueIdentifier).inserted }) {
            say("violation the failure of \(download.identifier) was told twice")
        }
        say("failed \(download.identifier) \("\(error)".replacingOccurrences(of: "\n", with: " "))")
    }
}
