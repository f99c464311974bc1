// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Webhooks, what happened, and who was told (BA 4.5).

extension ResourceType {
    package static let webhooks = ResourceType("webhooks")
    package static let webhookDeliveries = ResourceType("webhookDeliveries")
    package static let webhookEvents = ResourceType("webhookEvents")
    package static let webhookPings = ResourceType("webhookPings")
}

extension ResourceSchema {
    package static let webhooks = ResourceSchema(
        .webhooks,
        attributes: [
            .boolean("enabled"), .words("eventTypes"), .text("name"), .text("url"), .text("secret").hidden,
        ],
        relationships: [
            .toOne("app", .apps),
            .toMany("deliveries", .webhookDeliveries, inverse: "webhook"),
        ])

    package static let webhookDeliveries = ResourceSchema(
        .webhookDeliveries,
        attributes: [
            .text("createdDate"), .text("deliveryState"), .text("errorMessage"), .boolean("redelivery"),
            .text("sentDate"), .json("request"), .json("response"),
        ],
        relationships: [
            .toOne("event", .webhookEvents),
            Relationship.toOne("webhook", .webhooks).hidden,
        ],
        filters: [
            Filter("createdDateGreaterThanOrEqualTo", path: ["createdDate"], .isAtLeast),
            Filter("createdDateLessThan", path: ["createdDate"], .isBelow),
            Filter("deliveryState", WebhookDeliveryState.self),
        ])

    package static let webhookEvents = ResourceSchema(
        .webhookEvents,
        attributes: [.text("createdDate"), .text("eventType"), .text("payload"), .boolean("ping")])
}
