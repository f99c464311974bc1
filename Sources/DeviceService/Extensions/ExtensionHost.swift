// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// Runs an app's downloader extension in a process of its own and asks it about packs (BA 1.13).
///
/// Whatever the extension does, the caller gets answers in time: one that cannot be started, crashes, talks nonsense or
/// takes too long has allowed what it did not answer, and the outcome says so.
struct ExtensionHost: Sendable {
    /// What came of asking.
    struct Outcome: Hashable, Sendable {
        /// Ids the extension said no to.
        var declined: Set<String> = []
        /// What went wrong, for a person; nil when nothing did.
        var trouble: String?
    }

    /// How long the extension may take for all answers of one event.
    var timeLimit: Duration = .seconds(30)
    /// How long it may take to end after the last answer, before it is killed.
    var grace: Duration = .seconds(2)
    /// The number of the extension's end of the socket pair.
    static let descriptor: Int32 = 3

    /// Asks about each of `packs`. Never throws: trouble is part of the outcome.
    /// - Parameters:
    ///   - app: the app's folder, which holds the extension.
    ///   - event: `install` or `update`, as `BAContentRequest` names it.
    func shouldDownload(
        _ packs: [PackDescription], event: String, app: FilePath, bundleID: String, downloader: DownloaderExtension
    ) async -> Outcome {
        guard !packs.isEmpty else { return Outcome() }
        let host = self
        let outcome = try? await offload {
            host.ask(packs, event: event, app: app, bundleID: bundleID, downloader: downloader)
        }
        return outcome ?? Outcome()
    }

    /// Blocks.
    private func ask(
        _ packs: [PackDescription], event: String, app: FilePath, bundleID: String, downloader: DownloaderExtension
    ) -> Outcome {
        let name = downloader.identifier
        var outcome = Outcome()
        do {
            let (child, channel) = try start(app: app, bundleID: bundleID, downloader: downloader)
            let timedOut = Locked(false)
            // Waits for the extension's end beside us: when the time is over it ends the extension, which ends our reading.
            let watch = try WorkerThread.start(name: "larder-extension") {
                if (try? child.wait(atMost: timeLimit)) ?? nil == nil {
                    timedOut.withLock { $0 = true }
                    child.kill()
                }
            }
            do {
                for (index, pack) in packs.enumerated() {
                    let id = Int64(index + 1)
                    try channel.send(
                        try WireCodec.request(id, ShouldDownloadRequest(assetPack: pack, event: event)))
                    if try !answer(channel, id) { outcome.declined.insert(pack.id) }
                }
                channel.close()
                if try child.wait(atMost: grace) == nil { child.kill() }
            } catch {
                channel.close()
                // One that has gone has an exit code to tell; one that is still there is ended.
                let code = (try? child.wait(atMost: .milliseconds(200))) ?? nil
                if code == nil { child.kill() }
                outcome.trouble = trouble(name, late: timedOut.withLock { $0 }, exitCode: code, error)
            }
            watch.join()
        } catch {
            outcome.trouble = "The extension \(name) could not be started, so all its packs are downloaded: \(error)"
        }
        return outcome
    }

    private func start(
        app: FilePath, bundleID: String, downloader: DownloaderExtension
    ) throws -> (ChildProcess, FrameChannel) {
        let (own, theirs) = try UnixSocket.pair()
        let channel = FrameChannel(OwnedDescriptor(own))
        let given = OwnedDescriptor(theirs)
        let null = try OwnedDescriptor("/dev/null", .readWrite)
        var environment = Environment.current.filter { ["PATH", "LANG", "LD_LIBRARY_PATH"].contains($0.key) }
        environment["LARDER_EXTENSION_FD"] = "\(Self.descriptor)"
        environment["LARDER_BUNDLE_ID"] = bundleID
        let child = try ChildProcess.spawn(
            executable: app.appending(downloader.relativeExecutable.string), environment: environment,
            descriptors: [
                0: null.borrowed, 1: null.borrowed, 2: null.borrowed, Self.descriptor: given.borrowed,
            ], newSession: true, workingDirectory: app.appending(downloader.relativePath.string))
        return (child, channel)
    }

    /// - Throws: `DeviceError` when the extension leaves, refuses, or answers something else.
    private func answer(_ channel: FrameChannel, _ id: Int64) throws -> Bool {
        guard let message = try channel.receive() else {
            throw DeviceError(.disconnected, "it ended without an answer")
        }
        let header = try WireCodec.header(message)
        if let error = header.error { throw error }
        guard header.id == id else {
            throw DeviceError(.badMessage, "it answered question \(header.id.map(String.init) ?? "none"), not \(id)")
        }
        return try WireCodec.result(ShouldDownloadRequest.Reply.self, message).download
    }

    private func trouble(_ name: String, late: Bool, exitCode: Int32?, _ error: any Error) -> String {
        let what: String
        if late {
            what = "took longer than \(timeLimit.formatted) and was ended"
        } else if let exitCode, exitCode > 128 {
            what = "crashed (signal \(exitCode - 128))"
        } else if let exitCode, exitCode != 0 {
            what = "ended with exit code \(exitCode)"
        } else {
            what = "gave no proper answer (\(error))"
        }
        return "The extension \(name) \(what), so the packs it did not decide on are downloaded."
    }
}
