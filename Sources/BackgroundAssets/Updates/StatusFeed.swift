// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Foundation
internal import Kit

/// Brings the service's download events to the app's subscribers.
final class StatusFeed: Sendable {
    private let bundleID: String
    private let service: ServiceClient
    private let local: LocalPacks
    /// How long a service that is gone is waited for where somebody waits for an end.
    private let patience: RetryPolicy
    /// Subscriptions that the service may not have heard of yet.
    ///
    /// These only wait: a stream that they kept would stay open when its reader is gone.
    private let opening = Locked<[Task<Void, Never>]>([])

    typealias Opened = Result<AsyncThrowingStream<DownloadEvent, any Error>, any Error>

    init(bundleID: String, service: ServiceClient, local: LocalPacks, patience: RetryPolicy = .service) {
        self.patience = patience
        self.bundleID = bundleID
        self.service = service
        self.local = local
    }

    /// Begins to collect updates, of one pack or of all.
    func updates(forPackWithID id: String?) -> StatusUpdates {
        let mailbox = StatusMailbox()
        let request = StatusUpdatesRequest(app: bundleID, pack: id)
        let first = Task { [service] in await Self.open(request, service) }
        let heard = Task { _ = await first.value }
        opening.withLock { $0.append(heard) }
        let pump = Task { [service, local, patience] in
            await Self.pump(
                request, first: first.value, service: service, local: local, patience: patience, into: mailbox)
            mailbox.finish()
        }
        return StatusUpdates(mailbox: mailbox, pump: pump)
    }

    /// Returns when the service has heard of all subscriptions made so far (or cannot be reached): what is asked after this
    /// shows in their updates from its beginning.
    func settle() async {
        let waiting = opening.withLock { waiting in
            let all = waiting
            waiting = []
            return all
        }
        for task in waiting { await task.value }
    }

    private static func open(_ request: StatusUpdatesRequest, _ service: ServiceClient) async -> Opened {
        do {
            return .success(try await service.stream(request))
        } catch {
            return .failure(error)
        }
    }

    /// Reads one stream after the other until the subscription has come to its end or is cancelled.
    private static func pump(
        _ request: StatusUpdatesRequest, first: Opened, service: ServiceClient, local: LocalPacks,
        patience: RetryPolicy, into mailbox: StatusMailbox
    ) async {
        var opened: Opened? = first
        var silence = Retries()
        var translator = EventTranslator(bundleID: request.app, service: service)
        await RetryPolicy.service.keepingUp { retries in
            do {
                let stream: Opened
                if let first = opened { stream = first } else { stream = await open(request, service) }
                opened = nil
                for try await event in try stream.get() {
                    retries.reset()
                    silence.reset()
                    guard let update = translator.update(for: event) else { continue }
                    mailbox.put(update)
                    if request.pack != nil, update.isFinal { return .end }
                }
                // For one pack the end means that nothing more will come of it.
                return request.pack == nil ? .again : .end
            } catch {
                for update in translator.interruptions() { mailbox.put(update) }
                guard let id = request.pack else { return .again }
                if conclude(id, error, local, mailbox, service, request.app) { return .end }
                // Whoever waits for the end of one pack hears that there is nobody to bring it.
                guard silence.next(patience) == nil else { return .again }
                fail(id, clientError(error, forPackWithID: id), mailbox)
                return .end
            }
        }
    }

    /// Ends the updates of one pack when asking again would be to no end: it is local, or the service does not know it.
    private static func conclude(
        _ id: String, _ error: any Error, _ local: LocalPacks, _ mailbox: StatusMailbox, _ service: ServiceClient,
        _ bundleID: String
    ) -> Bool {
        if let pack = local.pack(withID: id) {
            var translator = EventTranslator(bundleID: bundleID, service: service)
            for update in translator.updates(forLocal: pack) { mailbox.put(update) }
            return true
        }
        let error = clientError(error, forPackWithID: id)
        if let error = error as? BackgroundAssetsError, error.code == .serviceUnavailable { return false }
        if error is CancellationError { return true }
        fail(id, error, mailbox)
        return true
    }

    private static func fail(_ id: String, _ error: any Error, _ mailbox: StatusMailbox) {
        mailbox.put(.failed(AssetPack(id: id, version: 0, downloadSize: 0), error))
    }
}
