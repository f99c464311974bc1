// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Mail
import System
import TestSupport
import Testing

/// Letters, and what a server that is not ours makes of them.
@Suite(.timeLimit(.minutes(5))) struct MailTests {
    private static func letter(
        subject: String = "Coast 3 was refused", text: String = "It is unsound.", to: [String] = ["ops@example.com"]
    ) -> MailMessage {
        MailMessage(
            from: "larder@example.com", to: to, subject: subject, text: text,
            date: Timestamp(seconds: 1_795_305_034), id: "1-2-3")
    }

    @Test func aLetterIsWhatTheServerReads() async throws {
        try await MailSink.with { sink in
            let text = """
                First line
                .
                ..
                Schöne Grüße = 100 %, and a line that is so long that it has to be broken, since no line has more than 76.\u{20}
                End
                """
            let subject = "Küste 3 wurde abgelehnt, und der Betreff ist recht lang geraten"
            let server = try MailServer(url: sink.url)
            let letter = Self.letter(subject: subject, text: text, to: ["a@example.com", "b@example.com"])
            try await onOwnThread { try server.send(letter) }
            let received = try #require(try sink.letters().first)
            #expect(received["from"] == "larder@example.com")
            #expect(received["to"] == ["a@example.com", "b@example.com"])
            #expect(received["subject"]?.stringValue == subject)
            #expect(received["date"]?.stringValue == String(letter.date.formatted.prefix(11)))
            #expect(received["text"]?.stringValue == text + "\n")
        }
    }

    @Test func nothingInALetterMakesAFieldOfIt() {
        let wire = String(decoding: Self.letter(subject: "a\r\nBcc: evil@example.com", text: "b").wire, as: UTF8.self)
        #expect(!wire.contains("\nBcc:"))
        #expect(wire.utf8.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.count <= 78 })
    }

    @Test(arguments: [
        "", "nobody", "a@", "@b", "a@b@c", "a b@c", "a@b>", "a@b\r\nRCPT TO:<x@y>", "<a@b>", "a@b,c@d", "ü@example.com",
    ])
    func whatIsNoAddressIsRefused(_ address: String) throws {
        #expect(!MailMessage.isAddress(address))
        let server = try MailServer(url: "smtp://127.0.0.1:1")
        let error = #expect(throws: MailError.self) { try server.send(Self.letter(to: [address])) }
        #expect(error?.code == .badAddress)
    }

    @Test func aServerThatIsNotThereIsSaid() async throws {
        let server = try MailServer(url: "smtp://127.0.0.1:1")
        let error = await #expect(throws: MailError.self) { try await onOwnThread { try server.send(Self.letter()) } }
        #expect(error?.code == .notTaken)
        #expect(throws: MailError.self) { try MailServer(url: "https://example.com") }
    }

    @Test func aPasswordIsNotSaidWithoutTLS() async throws {
        try await MailSink.with { sink in
            let server = try MailServer(url: sink.url, user: "me", password: "secret")
            let error = await #expect(throws: MailError.self) {
                try await onOwnThread { try server.send(Self.letter()) }
            }
            #expect(error?.code == .notTaken)
            #expect(try sink.letters().isEmpty)
        }
    }
}
