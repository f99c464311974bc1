// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Tells webhooks, signed with their secret; tries again with growing pauses, and records what came of it.
struct WebhookSender: Sendable {
    /// Seconds after the first try, the second, and so on; after the last pause there is one more try.
    static let pauses: [Int64] = [5, 30, 300, 1800, 7200]
    /// The most of an answer that is kept, in bytes.
    private static let answerSize = 16 << 10

    private let context: HostContext
    private let client: HTTPClient

    init(_ context: HostContext) {
        self.context = context
        var configuration = HTTPClientConfiguration()
        configuration.allowsPlainLoopback = context.sendsToPrivateAddresses
        configuration.connectTimeout = .seconds(10)
        client = HTTPClient(configuration)
    }

    /// What came of one try.
    private struct Outcome {
        var status: Int?
        var body: String?
        var error: String?
    }

    /// - Throws: when the host cannot do its work.
    func deliver(_ job: ClaimedJob) async throws {
        let (delivery, event, webhook) = try await context.database.read { store in
            let delivery = try store.record(.webhookDeliveries, job.subject)
            return (
                delivery, try delivery?.text("event").flatMap { try store.record(.webhookEvents, $0) },
                try delivery?.text("webhook").flatMap { try store.record(.webhooks, $0) }
            )
        }
        guard let delivery, let event, let webhook,
            delivery.state(WebhookDeliveryState.self, in: "deliveryState") == .pending
        else { return try await context.database.write { try $0.remove(job) } }
        let outcome = await send(event.text("payload") ?? "", to: webhook)
        try Task.checkCancellation()
        let now = context.clock()
        try await context.database.write { store in
            guard var delivery = try store.record(.webhookDeliveries, job.subject) else { return try store.remove(job) }
            delivery["sentDate"] = .string(now.formatted)
            delivery["errorMessage"] = outcome.error.map { .string($0) }
            var response: [String: JSONValue] = [:]
            response["httpStatusCode"] = outcome.status.map { .integer(Int64($0)) }
            response["body"] = outcome.body.map { .string($0) }
            delivery["response"] = response.isEmpty ? nil : .object(response)
            let isDone = outcome.error == nil
            guard isDone || job.attempts >= Self.pauses.count else {
                try store.update(delivery)
                return try store.postpone(job, until: now.seconds + Self.pauses[job.attempts])
            }
            try store.step(&delivery, WebhookDeliveryState.self, isDone ? .succeeded : .failed, in: "deliveryState")
            try store.remove(job)
        }
    }

    private func send(_ payload: String, to webhook: ResourceRecord) async -> Outcome {
        let body = Array(payload.utf8)
        let signature = MessageAuthentication.hmacSHA256(body, key: Array((webhook.text("secret") ?? "").utf8))
        var request = HTTPRequest(
            url: webhook.text("url") ?? "", method: .post,
            headers: [
                ("Content-Type", "application/json"), ("X-Apple-SIGNATURE", "hmacsha256=\(signature.hex)"),
            ], timeLimit: .seconds(30))
        request.body = HTTPRequestBody(body)
        request.takesEveryStatus = true
        if !context.sendsToPrivateAddresses { request.permitsAddress = { $0.isPublic } }
        do {
            let (response, answer) = try await client.data(for: request, limit: Self.answerSize)
            let isHeard = (200..<300).contains(response.status)
            return Outcome(
                status: response.status, body: String(decoding: answer, as: UTF8.self),
                error: isHeard ? nil : "The webhook answered with status \(response.status).")
        } catch let error as HTTPClientError {
            return Outcome(error: error.message)
        } catch {
            return Outcome(error: "\(error)")
        }
    }
}
