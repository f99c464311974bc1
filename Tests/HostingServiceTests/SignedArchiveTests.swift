// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import TestSupport
import Testing

/// Addresses of archives that are signed and expire (E4).
@Suite(.timeLimit(.minutes(5))) struct SignedArchiveTests {
    private static let lifetime: Int64 = 1000

    /// A host whose addresses are good for a while, and the clock that it looks at.
    private func withHost(_ body: (HostFixture, Locked<Timestamp>) async throws -> Void) async throws {
        let now = Locked(Timestamp.now)
        try await HostFixture.with({
            $0.archiveLifetime = Self.lifetime
            $0.clock = { now.withLock { $0 } }
        }) { try await body($0, now) }
    }

    /// Goes to the beginning of one half of the lifetime.
    private func begin(_ now: Locked<Timestamp>) {
        now.withLock { $0 = Timestamp(seconds: ($0.seconds / 500 + 1) * 500) }
    }

    private func advance(_ now: Locked<Timestamp>, _ seconds: Int64) {
        now.withLock { $0 = Timestamp(seconds: $0.seconds + seconds) }
    }

    /// The address of a pack's archive in the manifest, and the manifest's tag.
    private func address(_ pack: StagedPack, _ id: String = "Coast") async throws -> (url: String, tag: String) {
        let answer = try await pack.ask("")
        let entry = try answer.json["assetPacks"]?.arrayValue?.first { $0["id"]?.stringValue == id }
        return (try #require(entry?["url"]?.stringValue), try #require(answer.headers["etag"]))
    }

    private func get(
        _ fixture: HostFixture, _ url: String, _ headers: [String: String] = [:], method: String = "GET"
    ) async throws -> Publisher.Answer {
        try await fixture.publisher.send(method, url, headers: headers, token: .some(nil))
    }

    @Test func aSignedAddressIsGoodForAllPartsUntilItExpires() async throws {
        try await withHost { fixture, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            begin(now)
            let (url, tag) = try await address(pack)
            let whole = try await get(fixture, url)
            #expect(whole.status == 200 && whole.headers["cache-control"] == "private, max-age=1000, immutable")
            let part = try await get(fixture, url, ["Range": "bytes=10-19"])
            #expect(part.status == 206 && part.body == Array(whole.body[10..<20]))
            #expect(try await get(fixture, url, method: "HEAD").status == 200)

            // Within half of the time it is the same, so that the manifest is.
            advance(now, 499)
            let again = try await address(pack)
            #expect(again.url == url && again.tag == tag)
            #expect(try await pack.ask("", headers: ["If-None-Match": tag]).status == 304)
            advance(now, 1)
            let renewed = try await address(pack)
            #expect(renewed.url != url && renewed.tag != tag)

            advance(now, 499)
            #expect(try await get(fixture, url).status == 200)
            advance(now, 1)
            for headers in [[:], ["Range": "bytes=10-19"]] {
                let expired = try await get(fixture, url, headers)
                #expect(expired.status == 403 && expired.code == "FORBIDDEN_ERROR.ADDRESS_EXPIRED")
            }
            #expect(try await get(fixture, renewed.url).body == whole.body)
        }
    }

    @Test func anAddressThatWasChangedIsWorthNothing() async throws {
        try await withHost { fixture, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let other = try await fixture.publisher.pack("Other", app: fixture.appID)
            _ = try await fixture.publisher.publish(try fixture.archive("Other", content: [2]), to: other)
            begin(now)
            let (url, _) = try await address(pack)
            let (foreign, _) = try await address(pack, "Other")
            let expiry = now.withLock { $0.seconds } + Self.lifetime
            #expect(url.contains("expires=\(expiry)&"))
            let query = try #require(url.split(separator: "?").last)
            let path = try #require(foreign.split(separator: "?").first)
            let signature = try #require(url.split(separator: "=").last)
            let flipped = (signature.hasPrefix("A") ? "B" : "A") + signature.dropFirst()
            let wrong = [
                String(try #require(url.split(separator: "?").first)),
                "\(path)?\(query)",
                url.replacing("expires=\(expiry)", with: "expires=\(expiry + 1)"),
                url.replacing("expires=\(expiry)", with: "expires=99999999999999999999"),
                url.replacing("expires=\(expiry)", with: "expires=-9223372036854775808"),
                url.replacing(String(signature), with: flipped), url.replacing(String(signature), with: ""),
                url.replacing("&key=", with: "&key=x"),
            ]
            for address in wrong {
                let answer = try await get(fixture, address)
                #expect(answer.status == 403 && answer.code == "FORBIDDEN_ERROR", "\(address)")
            }
            #expect(try await get(fixture, url).status == 200)
        }
    }

    @Test func aNewKeyIsTakenWhileTheHostRuns() async throws {
        try await withHost { fixture, now in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            begin(now)
            let (first, _) = try await address(pack)
            func rotate(_ keepsFormer: Bool) async throws {
                let administration = try await HostAdministration(fixture.configuration)
                _ = try await administration.rotateArchiveKeys(keepsFormer: keepsFormer)
                await administration.close()
                advance(now, 5)
            }
            try await rotate(true)
            let (second, _) = try await address(pack)
            #expect(first != second)
            #expect(try await get(fixture, first).status == 200, "what is out stays good")
            #expect(try await get(fixture, second).status == 200)
            try await rotate(false)
            for address in [first, second] { #expect(try await get(fixture, address).status == 403) }
            #expect(try await get(fixture, try await address(pack).url).status == 200)
        }
    }

    @Test func withoutALifetimeAddressesAreForEver() async throws {
        try await HostFixture.with { fixture in
            let pack = try await StagedPack(fixture)
            try await pack.publish(1)
            let (url, _) = try await address(pack)
            #expect(!url.contains("?"))
            let answer = try await get(fixture, url + "?expires=1&signature=x")
            #expect(answer.status == 200)
            #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
        }
    }
}
