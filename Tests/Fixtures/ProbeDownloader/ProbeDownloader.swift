// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation

/// An extension that decides itself what is downloaded, as a manifest of lines `<identifier> <URL> <size> [essential]` says, and
/// writes down in the file `journal` of the app group's folder what it is asked and told:
/// `asked <event>`, `left <bytes> <bytes>` when the allowances restrict it, `finished <identifier> here|gone`, `failed <identifier>`.
///
/// While there is a FIFO `hold`, it opens it for writing before it returns from a request, closes it, and waits until the FIFO
/// `release` is opened for writing and closed.
/// While there is a file `perish`, it takes that and the finished file away, and kills itself before it returns.
/// What a server asks it writes down as `challenged <identifier> <method> <failures>`, and answers with the user name and the
/// password that the file `login` has in one line each; without the file it leaves the answer to the system.
/// Servers it trusts, unless there is a file `distrust`.
/// A failed essential download is scheduled again without being essential; what came of it is `rescheduled <identifier>`
/// or `refused <identifier> <code>`.
@main
struct ProbeDownloader: BADownloaderExtension {
    func downloads(
        for contentRequest: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        note("asked \(contentRequest)")
        if let other = extensionInfo.restrictedDownloadSizeRemaining,
            let essential = extensionInfo.restrictedEssentialDownloadSizeRemaining
        {
            note("left \(other) \(essential)")
        }
        let text = (try? String(contentsOf: manifestURL, encoding: .utf8)) ?? ""
        let mayBeEssential = contentRequest == .install || contentRequest == .update
        let downloads = text.split(separator: "\n").compactMap { line -> BADownload? in
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 3, let url = URL(string: words[1]), let size = Int(words[2]) else { return nil }
            return BAURLDownload(
                identifier: words[0], request: URLRequest(url: url), essential: words.count > 3 && mayBeEssential,
                fileSize: size, applicationGroupIdentifier: group, priority: .default)
        }
        hold()
        return Set(downloads)
    }

    func backgroundDownload(_ finishedDownload: BADownload, finishedWithFileURL fileURL: URL) {
        let isHere = FileManager.default.fileExists(atPath: fileURL.path)
        note("finished \(finishedDownload.identifier) \(isHere ? "here" : "gone")")
        if unlink(folder + "/perish") == 0 {
            _ = rename(fileURL.path, folder + "/taken")
            kill(getpid(), SIGKILL)
        }
        hold()
    }

    func backgroundDownload(_ failedDownload: BADownload, failedWithError error: any Error) {
        note("failed \(failedDownload.identifier)")
        guard failedDownload.isEssential else { return }
        do {
            try BADownloadManager.shared.scheduleDownload(failedDownload.removingEssential())
            note("rescheduled \(failedDownload.identifier)")
        } catch {
            note("refused \(failedDownload.identifier) \((error as NSError).code)")
        }
    }

    func backgroundDownload(
        _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        note("challenged \(download.identifier) \(space.authenticationMethod) \(challenge.previousFailureCount)")
        hold()
        if let trust = space.serverTrust {
            let isRefused = FileManager.default.fileExists(atPath: folder + "/distrust")
            return isRefused ? (.cancelAuthenticationChallenge, nil) : (.useCredential, URLCredential(trust: trust))
        }
        let lines = (try? String(contentsOfFile: folder + "/login", encoding: .utf8))?.split(separator: "\n") ?? []
        guard lines.count == 2 else { return (.performDefaultHandling, nil) }
        return (
            .useCredential,
            URLCredential(user: String(lines[0]), password: String(lines[1]), persistence: .forSession)
        )
    }

    private var group: String { "group.org.example.game" }

    private var folder: String { ProcessInfo.processInfo.environment["LARDER_APP_GROUP_FOLDER"] ?? "/nowhere" }

    private func note(_ line: String) {
        let file = open(folder + "/journal", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        _ = (line + "\n").withCString { write(file, $0, strlen($0)) }
    }

    private func hold() {
        // Each blocks until somebody opens the other end.
        for (name, mode) in [("/hold", O_WRONLY), ("/release", O_RDONLY)] {
            let file = open(folder + name, mode)
            guard file >= 0 else { return }
            close(file)
        }
    }
}
