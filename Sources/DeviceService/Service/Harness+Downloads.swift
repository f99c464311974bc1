// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import Kit
import PackNamespace

/// Unmanaged downloads (BA 1.3). Apps come over the socket, extensions over their own conversation.
extension Harness {
    func addDownloads(_ router: inout RequestRouter) {
        // What these do is a row in the database, and the answer. On one thread they also keep the order in which an app asks: it
        // hears of everything that it schedules after it began to listen.
        let journal = downloads.tools.database.taskExecutor
        router.on(ScheduleDownloadRequest.self, executor: journal) { request, caller in
            try await recovery.value
            try Self.check(request.app, caller)
            try await downloads.schedule(
                request.download, app: request.app, by: caller.extensionOf == nil ? .app(isInFront: true) : .extension)
            return EmptyReply()
        }
        router.on(StartForegroundDownloadRequest.self, executor: journal) { request, caller in
            try await recovery.value
            try Self.check(request.app, caller)
            guard caller.extensionOf == nil else {
                throw DeviceError(
                    .callFromExtensionNotAllowed,
                    "An extension cannot start foreground downloads. Schedule \(request.download.identifier) instead.")
            }
            try await downloads.startForeground(
                request.download, app: request.app, isInFront: request.isInFront)
            return EmptyReply()
        }
        router.on(RemoveDownloadRequest.self, executor: journal) { request, caller in
            try await recovery.value
            try Self.check(request.app, caller)
            try await downloads.cancel(request.identifier, app: request.app)
            return EmptyReply()
        }
        router.on(CurrentDownloadsRequest.self, executor: journal) { request, caller in
            try await recovery.value
            try Self.check(request.app, caller)
            _ = try await registry.existing(request.app)
            return CurrentDownloadsRequest.Reply(downloads: await downloads.current(request.app))
        }
        router.on(AcknowledgeDownloadRequest.self, executor: journal) { request, caller in
            try await recovery.value
            try Self.check(request.app, caller)
            await downloads.acknowledge(request.number, app: request.app)
            return EmptyReply()
        }
        router.on(AnswerChallengeRequest.self, executor: journal) { request, caller in
            try Self.check(request.app, caller)
            await downloads.answer(request.id, of: request.app, with: request.answer)
            return EmptyReply()
        }
        router.onStream(DownloadEventsRequest.self, executor: journal) { request, caller, emit in
            try await recovery.value
            try Self.check(request.app, caller)
            try await downloads.listen(
                request.app, isListening: request.isListening, foreground: request.foreground ?? [],
                answersChallenges: request.answersChallenges ?? false, emit: emit)
        }
        router.onStream(ExclusiveControlRequest.self, executor: journal) { request, caller, emit in
            try await recovery.value
            try Self.check(request.app, caller)
            let patience = request.patience.map { Duration.milliseconds(max(0, $0)) }
            let file = AppRootLayout(root: downloads.tools.paths.appRoot(request.app)).control
            try await downloads.control.with(
                request.app, patience: patience, file: file, locksItself: caller.extensionOf == nil
            ) {
                emit(EmptyReply())
                let (stream, continuation) = AsyncStream<Never>.makeStream()
                for await _ in stream {}
                withExtendedLifetime(continuation) {}
            }
        }
    }

    /// An extension speaks for its own app only.
    private static func check(_ app: String, _ caller: RequestRouter.Caller) throws(DeviceError) {
        guard let own = caller.extensionOf, own != app else { return }
        throw DeviceError(
            .callerConnectionNotAccepted, "The extension of \(own) asked about the downloads of \(app).")
    }
}
