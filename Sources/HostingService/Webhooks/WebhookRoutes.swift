// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Makes and changes webhooks, sends pings and deliveries once more (BA 4.5).
struct WebhookRoutes: Sendable {
    private static let attributes: Set<String> = ["enabled", "eventTypes", "name", "secret", "url"]

    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addGet(.webhooks, to: &router)
        reader.addRelated(.apps, "webhooks", to: &router)
        reader.addRelated(.webhooks, "deliveries", to: &router)
        router.add("POST", "/v1/webhooks", .needs(.manage)) { try await create($0) }
        router.add("PATCH", "/v1/webhooks/{id}", .needs(.manage)) { try await update($0) }
        router.add("DELETE", "/v1/webhooks/{id}", .needs(.manage)) { try await delete($0) }
        router.add("POST", "/v1/webhookPings", .needs(.manage)) { try await ping($0) }
        router.add("POST", "/v1/webhookDeliveries", .needs(.manage)) { try await redeliver($0) }
    }

    private func create(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .webhooks, attributes: Self.attributes, relationships: ["app"])
        let appID = try body.requiredLink("app", to: .apps)
        var webhook = ResourceRecord(
            .webhooks, id: Identifier.random(), app: appID, values: ["app": .string(appID)])
        try take(body, into: &webhook)
        for name in Self.attributes.sorted() where webhook[name] == nil {
            throw APIError.attribute("REQUIRED", name, "'\(name)' is missing.")
        }
        try await context.database.write { [webhook] store in
            _ = try store.require(.apps, appID, as: "app", for: request.caller)
            try store.insert(webhook)
        }
        return try await reader.show(webhook, status: 201)
    }

    private func update(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .webhooks, id: request.id, attributes: Self.attributes)
        let webhook = try await context.database.write { store in
            var webhook = try store.require(.webhooks, request.id, for: request.caller)
            try take(body, into: &webhook)
            try store.update(webhook)
            return webhook
        }
        return try await reader.show(webhook)
    }

    /// Takes over the attributes that are there.
    /// - Throws: `APIError`
    private func take(_ body: RequestDocument, into webhook: inout ResourceRecord) throws(APIError) {
        if let isEnabled = try body.flag("enabled") { webhook["enabled"] = .bool(isEnabled) }
        if let name = try body.text("name", maximumLength: 255) { webhook["name"] = .string(name) }
        if let secret = try body.text("secret") { webhook["secret"] = .string(secret) }
        if let url = try body.text("url", maximumLength: 2048) {
            if let problem = WebhookAddress.problem(with: url, allowsPrivate: context.sendsToPrivateAddresses) {
                throw .attribute("INVALID", "url", "'url' \(problem).")
            }
            webhook["url"] = .string(url)
        }
        if let types = body.value("eventTypes") {
            let names = types.arrayValue?.compactMap(\.stringValue) ?? []
            guard !names.isEmpty, names.count == types.arrayValue?.count,
                names.allSatisfy(WebhookEventType.names.contains)
            else {
                throw .attribute(
                    "INVALID", "eventTypes",
                    "'eventTypes' must be some of \(WebhookEventType.names.joined(separator: ", ")).")
            }
            webhook["eventTypes"] = types
        }
    }

    private func delete(_ request: RouteRequest) async throws -> HTTPServerResponse {
        try await context.database.write { store in
            let webhook = try store.require(.webhooks, request.id, for: request.caller)
            for delivery in try store.records(.webhookDeliveries, where: ["webhook": .text(webhook.id)]) {
                try store.remove(Job(kind: .deliverWebhook, subject: delivery.id))
                try store.delete(.webhookDeliveries, delivery.id)
            }
            try store.delete(.webhooks, webhook.id)
        }
        return .noContent
    }

    private func ping(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(request.http.body, type: .webhookPings, relationships: ["webhook"])
        let webhookID = try body.requiredLink("webhook", to: .webhooks)
        let id = Identifier.random()
        try await context.database.write { store in
            let webhook = try store.require(.webhooks, webhookID, as: "webhook", for: request.caller)
            let payload: JSONValue = [
                "data": [
                    "type": "webhookPingCreated", "id": .string(id), "version": 1,
                    "attributes": ["timestamp": .string(context.now)],
                ]
            ]
            let event = ResourceRecord(
                .webhookEvents, id: id, app: webhook.app,
                values: [
                    "createdDate": .string(context.now), "ping": true, "payload": .string(payload.serialized()),
                ])
            try store.insert(event)
            _ = try store.deliver(event, to: webhook)
        }
        return try await reader.show(ResourceRecord(.webhookPings, id: id, app: ""), status: 201)
    }

    private func redeliver(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(request.http.body, type: .webhookDeliveries, relationships: ["template"])
        let templateID = try body.requiredLink("template", to: .webhookDeliveries)
        let delivery = try await context.database.write { store in
            let template = try store.require(.webhookDeliveries, templateID, as: "template", for: request.caller)
            guard let event = try template.text("event").flatMap({ try store.record(.webhookEvents, $0) }),
                let webhook = try template.text("webhook").flatMap({ try store.record(.webhooks, $0) })
            else { throw APIError.notFound(.webhookDeliveries, templateID) }
            return try store.deliver(event, to: webhook, again: true)
        }
        return try await reader.show(delivery, status: 201)
    }
}
