// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Whether a server is trusted, by the system, the app and its extension.
extension ChallengeTests {
    @Test func aServerIsTrustedWhenTheAppSaysSo() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let authority = try DevelopmentAuthority(folder: harness.scratch("authority"))
            let secure = try PackServer(identity: try authority.identity(hosts: []))
            secure.serve(bytes(2000), as: "film")
            secure.lock("film", user: "ann", password: "sesame")
            harness.server.serve([0], as: "door")
            harness.server.spoil("door", .redirect(secure.url("film")))
            harness.server.lock("door", user: "ann", password: "at the door")
            var ears = DownloadEars(connection, answersChallenges: true)
            // From one server with a login to another, which is not trusted and wants one of its own.
            try await harness.schedule(harness.download("film", url: harness.server.url("door")), connection)
            try await ears.answer(try await ears.challenge(), login("at the door"))
            let trust = try await ears.challenge()
            #expect(trust.method == .serverTrust && trust.host == "localhost" && trust.certificates?.count == 2)
            #expect(trust.reason.contains("not trusted"))
            try await ears.answer(
                trust, ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session)))
            let asked = try await ears.challenge()
            #expect(asked.method == .basic && asked.scheme == "https")
            try await ears.answer(asked, login())
            let end = try await ears.end()
            #expect(end.change == .finished && end.total == 2000)
            // Each server has seen its own login and no other.
            let door = "Basic " + Base64(Array("ann:at the door".utf8)).text
            let film = "Basic " + Base64(Array("ann:sesame".utf8)).text
            #expect(Set(harness.server.authorizations) == ["-", door])
            #expect(Set(secure.authorizations) == ["-", film])
            secure.stop()
        }
    }

    @Test func aServerThatTheAppDoesNotTrustGetsNothing() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let authority = try DevelopmentAuthority(folder: harness.scratch("authority"))
            let secure = try PackServer(identity: try authority.identity(hosts: []))
            secure.serve(bytes(2000), as: "film")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("film", url: secure.url("film")), connection)
            try await ears.answer(try await ears.challenge(), .byDefault)
            #expect(try await ears.end().error?.code == .downloadUntrusted)
            #expect(secure.requests.isEmpty)
            secure.stop()
        }
    }

    /// A server whose authority this device trusts.
    private func trusted(_ harness: ServiceHarness, _ connection: DeviceConnection) async throws -> PackServer {
        let authority = try DevelopmentAuthority(folder: harness.scratch("authority"))
        let secure = try PackServer(identity: try authority.identity(hosts: []))
        let file = authority.certificateFile
        let pem = try await offload { try File.read(file) }
        _ = try await connection.send(TrustAddRequest(name: "test", pem: String(decoding: pem, as: UTF8.self)))
        return secure
    }

    @Test func anAppMayRefuseAServerThatTheSystemTrusts() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let secure = try await trusted(harness, connection)
            for name in ["one", "two", "three"] { secure.serve(bytes(2000), as: name) }
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one", url: secure.url("one")), connection)
            let first = try await ears.challenge()
            #expect(first.method == .serverTrust && first.isTrusted == true && first.certificates?.count == 2)
            try await ears.answer(first, ChallengeAnswer(.cancel))
            #expect(try await ears.end().error?.code == .downloadAuthenticationCancelled)
            #expect(secure.requests.isEmpty, "it has not even heard what was wanted")
            // The next one asks again; accepted it is accepted for the others.
            try await harness.schedule(harness.download("two", url: secure.url("two")), connection)
            try await ears.answer(
                try await ears.challenge(),
                ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session)))
            #expect(try await ears.end().change == .finished)
            try await harness.schedule(harness.download("three", url: secure.url("three")), connection)
            let third = try await ears.next(.finished, .failed, .challenged)
            #expect(third.change == .finished)
            secure.stop()
        }
    }

    @Test func aServerThatIsLeftToTheSystemIsAskedAboutOnce() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let secure = try await trusted(harness, connection)
            for name in ["one", "two", "three"] { secure.serve(bytes(2000), as: name) }
            // Nobody to ask: the system alone says.
            var deaf = DownloadEars(connection)
            try await harness.schedule(harness.download("one", url: secure.url("one")), connection)
            #expect(try await deaf.end().change == .finished)
            let app = try await harness.connect()
            var ears = DownloadEars(app, answersChallenges: true)
            try await harness.schedule(harness.download("two", url: secure.url("two")), app)
            try await ears.answer(try await ears.challenge(), .byDefault)
            #expect(try await deaf.end().change == .finished)
            try await harness.schedule(harness.download("three", url: secure.url("three")), app)
            #expect(try await deaf.end().change == .finished)
            #expect(try await harness.current(app).isEmpty)
            secure.stop()
        }
    }

    /// What goes on with a service's start is not left to the system because its app has yet to come back.
    @Test func aServerIsJudgedAnewAfterARestart() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let secure = try await trusted(harness, connection)
            secure.serve(bytes(2000), as: "one")
            secure.spoil("one", .stall(after: 1))
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one", url: secure.url("one")), connection)
            try await ears.answer(try await ears.challenge(), .byDefault)
            try await secure.waitForRequests(1)
            await harness.stop()
            secure.spoil("one", nil)
            try await harness.start { $0.returnPatience = .seconds(120) }
            let again = try await harness.connect()
            // It has met the server, and waits for nobody but the app.
            _ = try await eventually {
                let transfers = try await again.send(StatusRequest()).transfers
                return transfers.allSatisfy { $0.waitsFor == "an answer to what its server asks" } ? true : nil
            }
            var others = DownloadEars(again, answersChallenges: true)
            let step = try await others.next(.challenged, .finished, .failed)
            let challenge = try #require(step.challenge)
            #expect(challenge.method == .serverTrust && challenge.isTrusted == true)
            try await others.answer(challenge, ChallengeAnswer(.cancel))
            #expect(try await others.end().error?.code == .downloadAuthenticationCancelled)
            #expect(secure.requests.count == 1, "it has not heard again what was wanted")
            secure.stop()
        }
    }

    @Test(arguments: [false, true]) func anExtensionMayRefuseAServerThatTheSystemTrusts(refuses: Bool) async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await harness.launchedApp()
            let secure = try await trusted(harness.service, connection)
            secure.serve(bytes(1000), as: "one")
            if refuses {
                let file = harness.group.appending("distrust")
                try await offload { try AtomicFile.write([], to: file, durable: false) }
            }
            try await harness.service.schedule(
                harness.service.download("one", url: secure.url("one")), connection)
            try await harness.waitForLine(refuses ? "failed one" : "finished one here")
            #expect(harness.journal.suffix(2).first == "challenged one NSURLAuthenticationMethodServerTrust 0")
            #expect(secure.requests.count == (refuses ? 0 : 1))
            secure.stop()
        }
    }
}
