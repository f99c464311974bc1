// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Mail
import System
import TestSupport
import Testing

/// Who is to know of a refused version is written to.
@Suite(.timeLimit(.minutes(5))) struct MailOutboxTests {
    @Test func aRefusedVersionIsToldByMail() async throws {
        try await MailSink.with { sink in
            let mail = HostMail(
                server: try MailServer(url: sink.url), from: "larder@example.com", to: ["ops@example.com"])
            try await HostFixture.with({ $0.mail = mail }) { fixture in
                let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
                let version = try await fixture.publisher.publish(Array("no archive".utf8), to: pack)
                #expect(version["attributes"]?["state"] == "FAILED")
                try await eventually { try sink.letters().isEmpty ? nil : () }
                let letter = try #require(try sink.letters().first)
                #expect(letter["to"] == ["ops@example.com"])
                #expect(letter["subject"]?.stringValue == "Coast 1 of \(HostFixture.bundleID) was refused")
                #expect(letter["text"]?.stringValue?.contains("ARCHIVE_INVALID") == true)
            }
        }
    }

    @Test func aLetterOutlivesTheHost() async throws {
        try await MailSink.with { sink in
            try await HostFixture.with({
                // Nobody listens there.
                $0.mail = (try? MailServer(url: "smtp://127.0.0.1:1")).map {
                    HostMail(server: $0, from: "larder@example.com", to: ["ops@example.com"])
                }
            }) { fixture in
                let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
                _ = try await fixture.publisher.publish(Array("no archive".utf8), to: pack)
                await fixture.host.stop()

                var configuration = fixture.configuration
                // The server that takes nothing may have been asked already, and is left alone for a while then.
                configuration.clock = { Timestamp(seconds: Timestamp.now.seconds + 3600) }
                configuration.mail = HostMail(
                    server: try MailServer(url: sink.url), from: "larder@example.com", to: ["ops@example.com"])
                let next = try await Host(configuration)
                try await eventually { try sink.letters().isEmpty ? nil : () }
                await next.stop()
                #expect(try sink.letters().count == 1)
            }
        }
    }
}
