// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit

extension Connection {
    /// Has the webhooks of a resource's app told what happened to it. Part of the transaction in which it happens: either
    /// both are stored or neither.
    /// - Throws: `DatabaseError`
    func announce(_ type: WebhookEventType, _ instance: ResourceRecord, old: String?, new: String?) throws {
        let webhooks = try records(.webhooks, where: ["app": .text(instance.app), "enabled": 1]).filter {
            $0.words("eventTypes").contains(type.rawValue)
        }
        guard !webhooks.isEmpty else { return }
        let (id, now) = (Identifier.random(), Timestamp.now.formatted)
        var event = ResourceRecord(
            .webhookEvents, id: id, app: instance.app,
            values: [
                "createdDate": .string(now), "ping": false,
                "payload": .string(type.payload(id: id, instance, old: old, new: new, time: now)),
            ])
        event["eventType"] = .string(type.rawValue)
        try insert(event)
        for webhook in webhooks { _ = try deliver(event, to: webhook) }
    }

    /// Puts a delivery into the queue.
    /// - Throws: `DatabaseError`
    func deliver(
        _ event: ResourceRecord, to webhook: ResourceRecord, again: Bool = false
    ) throws -> ResourceRecord {
        let delivery = ResourceRecord(
            .webhookDeliveries, id: Identifier.random(), app: webhook.app,
            values: [
                "createdDate": .string(Timestamp.now.formatted), "event": .string(event.id),
                "webhook": .string(webhook.id), "redelivery": .bool(again),
                "deliveryState": .string(WebhookDeliveryState.initial.rawValue),
                "request": ["url": .string(webhook.text("url") ?? "")],
            ])
        try insert(delivery)
        try add(Job(kind: .deliverWebhook, subject: delivery.id))
        return delivery
    }
}
