// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceSupport
import Glibc
import HTTP
import HostingModel
import HostingService
import Kit
import System
import TestSupport
import Testing

/// Somebody who is told: a server that keeps what it gets and answers as it is told to.
private final class Listener: Sendable {
    private let received = Locked<[HTTPServerRequest]>([])
    private let arrivals: AsyncStream<HTTPServerRequest>
    let server: HTTPServer

    /// - Parameter status: what to answer to each request in turn; the last one for all that follow.
    init(_ statuses: [Int] = [200], location: String? = nil) throws {
        let (arrivals, continuation) = AsyncStream<HTTPServerRequest>.makeStream()
        self.arrivals = arrivals
        let rest = Locked(statuses)
        server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1")) { request in
            continuation.yield(request)
            let status = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 200 }
            var response = HTTPServerResponse.text(status, "heard")
            response.headers["Location"] = location
            return response
        }
    }

    deinit { server.stop() }

    var url: String { "http://127.0.0.1:\(server.port)/hook" }

    /// The next request that comes.
    func next() async throws -> HTTPServerRequest {
        for await request in arrivals { return request }
        throw CancellationError()
    }
}

@Suite(.timeLimit(.minutes(5))) struct WebhookTests {
    private static let secret = "the secret"

    private func webhook(_ fixture: HostFixture, _ url: String, _ types: [WebhookEventType] = WebhookEventType.allCases)
        async throws -> Publisher.Answer
    {
        try await fixture.publisher.send(
            "POST", "/v1/webhooks",
            Publisher.document(
                .webhooks,
                [
                    "enabled": true, "name": "CI", "secret": .string(Self.secret), "url": .string(url),
                    "eventTypes": .array(types.map { .string($0.rawValue) }),
                ], ["app": (.apps, fixture.appID)]))
    }

    private func id(_ answer: Publisher.Answer) throws -> String {
        try #require(try answer.json["data"]?["id"]?.stringValue)
    }

    /// The webhook's deliveries when none is pending any more.
    private func deliveries(_ fixture: HostFixture, _ webhook: String, _ query: String = "") async throws -> [JSONValue]
    {
        try await eventually {
            let all = try await fixture.publisher.send(
                "GET", "/v1/webhooks/\(webhook)/deliveries?include=event\(query)"
            ).json
            let list = all["data"]?.arrayValue ?? []
            return list.contains { $0["attributes"]?["deliveryState"] == "PENDING" } ? nil : list
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func everyStepOfAVersionIsToldAndSigned(on database: TestDatabase) async throws {
        let listener = try Listener()
        try await HostFixture.with(on: database, { $0.sendsToPrivateAddresses = true }) { fixture in
            let hook = try id(try await webhook(fixture, listener.url))
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.publish(try fixture.archive(content: [1]), to: pack)
            var told: [[String]] = []
            for _ in 0..<3 {
                let request = try await listener.next()
                #expect(request.method == "POST")
                let code = MessageAuthentication.hmacSHA256(request.body, key: Array(Self.secret.utf8)).hex
                #expect(request.headers["X-Apple-SIGNATURE"] == "hmacsha256=\(code)")
                let data = try #require(try JSONParser.parse(request.body).value["data"])
                told.append([
                    data["type"]?.stringValue ?? "", data["attributes"]?["oldValue"]?.stringValue ?? "",
                    data["attributes"]?["newValue"]?.stringValue ?? "",
                ])
                let instance = data["relationships"]?["instance"]?["data"]
                if told.count != 2 { #expect(instance?["id"] == version["id"]) }
            }
            #expect(
                told == [
                    ["backgroundAssetVersionStateUpdated", "AWAITING_UPLOAD", "PROCESSING"],
                    ["backgroundAssetVersionInternalBetaReleaseCreated", "", "READY_FOR_TESTING"],
                    ["backgroundAssetVersionStateUpdated", "PROCESSING", "COMPLETE"],
                ])
            let list = try await deliveries(fixture, hook)
            #expect(list.count == 3)
            #expect(list.allSatisfy { $0["attributes"]?["deliveryState"] == "SUCCEEDED" })
            #expect(list[0]["attributes"]?["response"]?["httpStatusCode"] == 200)
            #expect(try await deliveries(fixture, hook, "&filter[deliveryState]=FAILED").isEmpty)
            #expect(try await deliveries(fixture, hook, "&filter[createdDateLessThan]=2020-01-01T00:00:00Z").isEmpty)
            let since = "&filter[createdDateGreaterThanOrEqualTo]=2020-01-01T00:00:00%2B01:00"
            #expect(try await deliveries(fixture, hook, since).count == 3)
        }
    }

    /// A host with a webhook to a listener, to which a ping is on its way.
    private func withPing(
        to listener: Listener, on database: TestDatabase, _ now: Locked<Timestamp> = Locked(.now),
        _ body: (_ fixture: HostFixture, _ hook: String) async throws -> Void
    ) async throws {
        try await HostFixture.with(
            on: database,
            {
                $0.sendsToPrivateAddresses = true
                $0.clock = { now.withLock { $0 } }
            }
        ) { fixture in
            let hook = try id(try await webhook(fixture, listener.url))
            let ping = Publisher.document(.webhookPings, [:], ["webhook": (.webhooks, hook)])
            #expect(try await fixture.publisher.send("POST", "/v1/webhookPings", ping).status == 201)
            try await body(fixture, hook)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aFailedDeliveryIsTriedAgainAndOneCanBeSentOnceMore(on database: TestDatabase) async throws {
        let listener = try Listener([500, 200])
        let now = Locked(Timestamp.now)
        try await withPing(to: listener, on: database, now) { fixture, hook in
            let first = try await listener.next()
            func shown(_ name: String, _ isRight: (JSONValue?) -> Bool) async throws {
                try await eventually {
                    let list = try await fixture.publisher.send("GET", "/v1/webhooks/\(hook)/deliveries").json
                    return isRight(list["data"]?.arrayValue?.first?["attributes"]?[name]) ? () : nil
                }
            }
            try await shown("errorMessage") { $0 != nil }
            // The pause is over, and something wakes the queue.
            now.withLock { $0.seconds += 60 }
            let patch = Publisher.document(.webhooks, id: hook, ["name": "renamed"])
            #expect(try await fixture.publisher.send("PATCH", "/v1/webhooks/\(hook)", patch).status == 200)
            let second = try await listener.next()
            try await shown("deliveryState") { $0 == "SUCCEEDED" }
            #expect(second.body == first.body)
            #expect(try JSONParser.parse(first.body).value["data"]?["type"] == "webhookPingCreated")

            let delivery = try #require(try await deliveries(fixture, hook).first?["id"]?.stringValue)
            let again = try await fixture.publisher.send(
                "POST", "/v1/webhookDeliveries",
                Publisher.document(.webhookDeliveries, [:], ["template": (.webhookDeliveries, delivery)]))
            #expect(again.status == 201)
            #expect(try again.json["data"]?["attributes"]?["redelivery"] == true)
            #expect(try await listener.next().body == first.body)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func anotherSecretIsNotShownAndADeletedWebhookIsGone(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let answer = try await webhook(fixture, "https://hooks.example.com/x")
            let hook = try id(answer)
            #expect(try answer.json["data"]?["attributes"]?["secret"] == nil)
            let list = try await fixture.publisher.send("GET", "/v1/apps/\(fixture.appID)/webhooks")
            #expect(!String(decoding: list.body, as: UTF8.self).contains(Self.secret))
            #expect(try await fixture.publisher.send("DELETE", "/v1/webhooks/\(hook)").status == 204)
            #expect(try await fixture.publisher.send("GET", "/v1/webhooks/\(hook)").status == 404)
        }
    }

    @Test(arguments: [
        "http://hooks.example.com/", "https://127.0.0.1/", "https://localhost/", "https://a.localhost:8443/",
        "https://10.1.2.3/", "https://192.168.0.1:8080/x", "https://172.31.0.1/", "https://169.254.169.254/latest",
        "https://[::1]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://0.0.0.0/", "https://100.64.0.1/", "ftp://x/",
        "x",
        "https://user@hooks.example.com/",
    ])
    func addressesInsideAreRefused(url: String) async throws {
        try await HostFixture.with { fixture in
            let answer = try await webhook(fixture, url)
            #expect(answer.code == "ENTITY_ERROR.ATTRIBUTE.INVALID")
        }
    }

    /// Addresses whose spelling tells nothing, as names do not: where they lead is seen each time when they are asked, so that a
    /// name that was led elsewhere meanwhile gains nothing.
    @Test(arguments: ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0"])
    func whatLeadsInsideIsNotAsked(host: String) async throws {
        let inside = try LoopbackListener()
        try await HostFixture.with { fixture in
            let answer = try await webhook(fixture, "https://\(host):\(inside.port)/hook")
            // Refused at once is as good.
            guard answer.status == 201 else {
                #expect(answer.code == "ENTITY_ERROR.ATTRIBUTE.INVALID")
                return
            }
            let hook = try id(answer)
            let body = Publisher.document(.webhookPings, [:], ["webhook": (.webhooks, hook)])
            #expect(try await fixture.publisher.send("POST", "/v1/webhookPings", body).status == 201)
            let error = try await eventually {
                let list = try await fixture.publisher.send("GET", "/v1/webhooks/\(hook)/deliveries").json
                return list["data"]?.arrayValue?.first?["attributes"]?["errorMessage"]?.stringValue
            }
            #expect(error.contains("where nothing may be sent from here"), "\(error)")
            var polled = pollfd(fd: inside.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
            #expect(poll(&polled, 1, 0) == 0, "nobody has come")
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aRedirectIsNotFollowed(on database: TestDatabase) async throws {
        let inside = try Listener()
        let outside = try Listener([302], location: inside.url)
        try await withPing(to: outside, on: database) { fixture, hook in
            _ = try await outside.next()
            let error = try await eventually {
                let list = try await fixture.publisher.send("GET", "/v1/webhooks/\(hook)/deliveries").json
                return list["data"]?.arrayValue?.first?["attributes"]?["errorMessage"]?.stringValue
            }
            #expect(error.contains("302"))
        }
    }
}
