// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import TestSupport
import Testing

/// Who may follow which channel (E4).
@Suite(.timeLimit(.minutes(5))) struct ChannelTokenTests {
    private func status(
        _ fixture: HostFixture, _ channel: String, _ token: String?, query: String = "",
        app: String = HostFixture.bundleID
    ) async throws -> Int {
        try await fixture.publisher.send("GET", "/devices/\(app)/\(channel)/manifest\(query)", token: .some(token))
            .status
    }

    @Test(arguments: TestDatabase.allCases)
    func aTokenOpensOneChannelOfOneApp(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let token = try await fixture.channelToken(.internalBeta)
            #expect(try await status(fixture, "internalBeta", token) == 200)
            #expect(try await status(fixture, "internalBeta", nil, query: "?token=\(token)&arch=arm64") == 200)
            #expect(try await status(fixture, "appStore", nil) == 200)

            #expect(try await status(fixture, "internalBeta", nil) == 401)
            #expect(try await status(fixture, "externalBeta", token) == 401)
            #expect(try await status(fixture, "internalBeta", token + "x") == 401)
            _ = try await fixture.app("org.example.other")
            // Whether there is such an app is nobody's business either.
            #expect(try await status(fixture, "internalBeta", token, app: "org.example.other") == 401)
            #expect(try await status(fixture, "internalBeta", token, app: "org.example.none") == 401)
            // A publisher's token is none of a device.
            #expect(try await status(fixture, "internalBeta", try fixture.publisher.signer.token()) == 401)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func aRevokedTokenOpensNothing(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let token = try await fixture.channelToken(.externalBeta)
            #expect(try await status(fixture, "externalBeta", token) == 200)
            let administration = try await HostAdministration(fixture.configuration)
            let known = try #require(try await administration.channelTokens().first)
            #expect(known.bundleID == HostFixture.bundleID && known.channel == .externalBeta)
            try await administration.revokeChannelToken(known.id)
            await #expect(throws: HostingError.self) { try await administration.revokeChannelToken(known.id) }
            await administration.close()
            #expect(try await status(fixture, "externalBeta", token) == 401)
        }
    }
}
