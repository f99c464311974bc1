// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation
import TestSupport

/// The campaign's extension with unmanaged downloads: it names those of the manifest, lines `<identifier> <URL> <size> [essential]`,
/// that it does not have, moves finished files to the folder `Films` of the app group under
/// `<identifier>~<unique identifier>`, and writes into the file `journal` beside it what it is told, each line behind a word for
/// this run of the extension:
/// `asked <event>`, `finished <identifier> <unique identifier>`, `failed <identifier> <unique identifier>`,
/// `violation <what>`.
///
/// It takes its time over everything, so that it can be killed in the middle. What it cannot write down it has not heard: it
/// ends instead.
@main
struct TortureDownloader: BADownloaderExtension {
    private static let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    private var folder: String { ProcessInfo.processInfo.environment["LARDER_APP_GROUP_FOLDER"] ?? "/nowhere" }
    private var films: String { folder + "/Films" }
    private var group: String { URL(fileURLWithPath: folder).lastPathComponent }

    func downloads(
        for contentRequest: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        note("asked \(contentRequest)")
        dawdle()
        let mayBeEssential = contentRequest == .install || contentRequest == .update
        let text = (try? String(contentsOf: manifestURL, encoding: .utf8)) ?? ""
        let kept = Set(
            ((try? FileManager.default.contentsOfDirectory(atPath: films)) ?? []).compactMap {
                $0.split(separator: "~").first.map(String.init)
            })
        let downloads = text.split(separator: "\n").compactMap { line -> BADownload? in
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 3, let url = URL(string: words[1]), let size = Int(words[2]), !kept.contains(words[0])
            else { return nil }
            return BAURLDownload(
                identifier: words[0], request: URLRequest(url: url), essential: words.count > 3 && mayBeEssential,
                fileSize: size, applicationGroupIdentifier: group, priority: .default)
        }
        return Set(downloads)
    }

    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {
        let (id, token) = (finishedDownload.identifier, finishedDownload.uniqueIdentifier)
        let target = films + "/\(id)~\(token)"
        dawdle()
        if FileManager.default.fileExists(atPath: target) {
            note("violation the end of \(id) \(token) was told again after its file had been moved")
        }
        do {
            let bytes = try Data(contentsOf: fileURL)
            if case .failure(let fault) = bytes.withUnsafeBytes({ StampedFile.read($0, at: id) }) {
                note("violation download \(id): \(fault)")
            }
            try FileManager.default.createDirectory(atPath: films, withIntermediateDirectories: true)
            dawdle()
            guard rename(fileURL.path, target) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch let error as POSIXError where error.code == .ENOSPC {
            exit(1)
        } catch {
            note("violation the file of \(id) \(token) was told and cannot be taken: \(error)")
        }
        dawdle()
        note("finished \(id) \(token)")
        dawdle()
    }

    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error) {
        dawdle()
        note("failed \(failedDownload.identifier) \(failedDownload.uniqueIdentifier)")
        dawdle()
        guard failedDownload.isEssential else { return }
        try? BADownloadManager.shared.scheduleDownload(failedDownload.removingEssential())
    }

    private func note(_ line: String) {
        let text = "\(Self.run) \(line.replacingOccurrences(of: "\n", with: " "))\n"
        let file = open(folder + "/journal", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        guard text.withCString({ write(file, $0, strlen($0)) }) == text.utf8.count else { exit(1) }
    }

    private func dawdle() { usleep(UInt32.random(in: 0...4000)) }
}
