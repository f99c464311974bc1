// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// Servers that ask who asks, or are not trusted, answered by app and extension (BA 1.4, 1.5, C8).
@Suite(.timeLimit(.minutes(5))) struct ChallengeTests {
    func bytes(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(count))
        return random.bytes(count, redundancy: false)
    }

    func login(
        _ password: String = "sesame", _ persistence: ChallengeCredential.Persistence = .session
    ) -> ChallengeAnswer {
        ChallengeAnswer(
            .useCredential, ChallengeCredential(persistence: persistence, user: "ann", password: password))
    }

    private func offerLocked(_ harness: ServiceHarness, _ names: String...) {
        for name in names {
            harness.server.serve(bytes(1000), as: name)
            harness.server.lock(name, user: "ann", password: "sesame")
        }
    }

    @Test func theAppAnswersOnceForAllOfARealm() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one", "two")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one", size: 1000), connection)
            let challenge = try await ears.challenge()
            #expect(challenge.method == .basic && challenge.realm == "films" && challenge.host == "127.0.0.1")
            #expect(challenge.previousFailureCount == 0 && challenge.proposedCredential == nil)
            let status = try await connection.send(StatusRequest()).transfers
            #expect(status.first?.waitsFor == "an answer to what its server asks")
            try await ears.answer(challenge, login())
            let end = try await ears.end { step in
                let file = FilePath(try #require(step.file))
                #expect(try await offload { try File.read(file) } == bytes(1000))
            }
            #expect(end.change == .finished)
            try await harness.schedule(harness.download("two", size: 1000), connection)
            #expect(try await ears.next(.finished, .failed, .challenged).change == .finished)
            // It is nowhere on the disk.
            let state = harness.paths.state
            let files = try await offload { try AppArchiveFixture.contents(below: state) }
            for (name, content) in files { #expect(content.firstRange(of: Array("sesame".utf8)) == nil, "\(name)") }
        }
    }

    @Test func aWrongPasswordIsAskedAgainAndThenFails() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one"), connection)
            for count in 0..<ChallengeMachine.failureLimit {
                let challenge = try await ears.challenge()
                #expect(challenge.previousFailureCount == count)
                #expect(challenge.proposedCredential?.password == (count == 0 ? nil : "wrong \(count - 1)"))
                try await ears.answer(challenge, login("wrong \(count)"))
            }
            let end = try await ears.end()
            #expect(end.change == .failed && end.error?.code == .downloadAuthentication)
            #expect(end.error?.message.contains("wrong") == false)
            // The right one helps the next time, and what was wrong is not tried first.
            try await harness.schedule(harness.download("one"), connection)
            let challenge = try await ears.challenge()
            #expect(challenge.previousFailureCount == 0)
            try await ears.answer(challenge, login())
            #expect(try await ears.end().change == .finished)
            let tried = harness.server.authorizations
            #expect(tried.count == ChallengeMachine.failureLimit + 3 && tried.filter { $0 == "-" }.count == 2)
        }
    }

    @Test(arguments: [ChallengeAnswer.Disposition.cancel, .performDefaultHandling, .rejectProtectionSpace])
    func endsWithoutACredential(_ disposition: ChallengeAnswer.Disposition) async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one"), connection)
            try await ears.answer(try await ears.challenge(), ChallengeAnswer(disposition))
            let end = try await ears.end()
            #expect(
                end.error?.code
                    == (disposition == .cancel ? .downloadAuthenticationCancelled : .downloadAuthentication))
            #expect(try await harness.current(connection).isEmpty)
        }
    }

    @Test func othersGoOnWhileOneWaitsForItsAnswer() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let locked = (0..<8).map { "locked\($0)" }
            for name in locked { offerLocked(harness, name) }
            harness.server.serve(bytes(1000), as: "open")
            var ears = DownloadEars(connection, answersChallenges: true)
            for name in locked { try await harness.schedule(harness.download(name), connection) }
            let challenge = try await ears.challenge()
            // More wait than the app has places.
            try await harness.schedule(harness.download("open"), connection)
            #expect(try await ears.end().download.identifier == "open")
            // One that is cancelled meanwhile is no trouble.
            _ = try await connection.send(RemoveDownloadRequest(app: ServiceHarness.app, identifier: "locked7"))
            try await ears.answer(challenge, login())
            var ended: Set<String> = []
            while ended.count < 7 {
                // The cancelled one is told as well.
                let step = try await ears.end()
                if step.change == .finished { ended.insert(step.download.identifier) }
            }
            #expect(ended == Set(locked.dropLast()))
        }
    }

    @Test func whatIsAskedIsWithdrawnWithItsDownload() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one", "two")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one"), connection)
            let first = try await ears.challenge()
            try await harness.schedule(harness.download("two"), connection)
            _ = try await connection.send(RemoveDownloadRequest(app: ServiceHarness.app, identifier: "one"))
            // The next question does not wait for the answer to one that nobody needs.
            let second = try await ears.challenge()
            #expect(first.id != second.id)
            try await ears.answer(first, login("wrong"))
            try await ears.answer(second, login())
            #expect(try await ears.end().download.identifier == "two")
            #expect(try await harness.downloadFiles() == [])
        }
    }

    @Test func aPausedDownloadTakesItsAnswerAlong() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one"), connection)
            let challenge = try await ears.challenge()
            _ = try await connection.send(PauseRequest(app: ServiceHarness.app, pack: "one"))
            #expect(try await ears.next(.paused).download.identifier == "one")
            try await ears.answer(challenge, login())
            _ = try await connection.send(ResumeRequest(app: ServiceHarness.app, pack: "one"))
            #expect(try await ears.end().change == .finished)
        }
    }

    @Test func nobodyWhoAnswersIsDefaultHandling() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one", "two")
            // An app that does not answer such questions, without an extension.
            var ears = DownloadEars(connection)
            try await harness.schedule(harness.download("one"), connection)
            #expect(try await ears.end().error?.code == .downloadAuthentication)
            // An app that could, and says nothing.
            await harness.stop()
            try await harness.start { $0.answerTimeLimit = .milliseconds(20) }
            let again = try await harness.connect()
            var silent = DownloadEars(again, answersChallenges: true)
            try await harness.schedule(harness.download("two"), again)
            _ = try await silent.challenge()
            #expect(try await silent.end().error?.code == .downloadAuthentication)
        }
    }

    @Test func theServiceAsksAnewAfterARestart() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one", "two")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one"), connection)
            let old = try await ears.challenge()
            await harness.stop()
            let asked = harness.server.requests.count
            try await harness.start { $0.returnPatience = .seconds(120) }
            // The server asks before the app has come back: its question waits for the app.
            try await harness.server.waitForRequests(asked + 1)
            let again = try await harness.connect()
            var others = DownloadEars(again, answersChallenges: true)
            let new = try await others.challenge()
            #expect(new.id != old.id && new.previousFailureCount == 0)
            try await others.answer(old, ChallengeAnswer(.cancel))
            try await others.answer(new, login())
            #expect(try await others.end().change == .finished)
        }
    }

    @Test func anAppThatDoesNotComeBackIsNotWaitedForLong() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            offerLocked(harness, "one")
            var ears = DownloadEars(connection, answersChallenges: true)
            try await harness.schedule(harness.download("one"), connection)
            _ = try await ears.challenge()
            await harness.stop()
            try await harness.start { $0.returnPatience = .milliseconds(20) }
            let again = try await harness.connect()
            _ = try await eventually {
                try await again.send(PacksRequest(app: ServiceHarness.app)).packs.first { $0.state == .failed }
            }
            var others = DownloadEars(again, answersChallenges: true)
            #expect(try await others.end().error?.code == .downloadAuthentication)
        }
    }

    // MARK: - A certificate for the server

    @Test func aServerGetsTheCertificateThatTheAppGives() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let clients = try CertificateAuthority(name: "Players", now: Timestamp.now.seconds)
            let authorities = harness.scratch("players.pem")
            try AtomicFile.write(try clients.pem(), to: authorities, durable: false)
            let server = try IndependentServer(
                files: ["film": bytes(3000)],
                locations: "ssl_client_certificate \(authorities); ssl_verify_client on;")
            let trusted = server.authorityFile
            let pem = String(decoding: try await offload { try File.read(trusted) }, as: UTF8.self)
            _ = try await connection.send(TrustAddRequest(name: "test", pem: pem))
            var ears = DownloadEars(connection, answersChallenges: true)
            let film = harness.download("film", size: 3000, url: server.url + "/film")
            try await harness.schedule(film, connection)
            // First the app judges the server.
            try await ears.answer(try await ears.challenge(), .byDefault)
            let challenge = try await ears.challenge()
            #expect(challenge.method == .clientCertificate && challenge.authorities?.count == 1)
            let player = try clients.issue(
                hosts: [HostName("player")], from: Timestamp.now.seconds - 60, for: .client)
            let identity = ChallengeCredential.Identity(
                format: "pem", certificate: Base64(player.certificates), key: Base64(player.key), passphrase: nil)
            let answer = ChallengeAnswer(
                .useCredential, ChallengeCredential(persistence: .session, identity: identity))
            try await ears.answer(challenge, answer)
            #expect(try await ears.end().change == .finished)
            // Once is enough; without one the server gives nothing.
            try await harness.schedule(film, connection)
            let second = try await ears.next(.finished, .failed, .challenged)
            let number = try #require(second.change == .finished ? second.number : nil)
            _ = try await connection.send(AcknowledgeDownloadRequest(app: ServiceHarness.app, number: number))
            await harness.stop()
            try await harness.start()
            let again = try await harness.connect()
            var others = DownloadEars(again, answersChallenges: true)
            try await harness.schedule(film, again)
            for method in [ChallengeDescription.Method.serverTrust, .clientCertificate] {
                let challenge = try await others.challenge()
                #expect(challenge.method == method)
                try await others.answer(challenge, .byDefault)
            }
            #expect(try await others.end().error?.code == .downloadServer)
            #expect(try server.answers().map(\.status) == ["200", "200", "400"])
        }
    }

    // MARK: - The extension

    private func giveLogin(_ harness: ProbeDownloaderHarness) async throws {
        let file = harness.group.appending("login")
        try await offload { try AtomicFile.write(Array("ann\nsesame\n".utf8), to: file, durable: false) }
    }

    /// An app that was launched, and whose server has a locked file "one".
    private func lockOne(_ harness: ProbeDownloaderHarness) async throws -> DeviceConnection {
        harness.offer()
        try await harness.install()
        let connection = try await harness.service.connect()
        _ = try await connection.send(LaunchRequest(app: ServiceHarness.app))
        offerLocked(harness.service, "one")
        return connection
    }

    @Test func theExtensionAnswersWhenTheAppIsNotThere() async throws {
        try await ProbeDownloaderHarness.with { harness in
            harness.offer(.init(name: "vital", bytes: bytes(1000), isEssential: true))
            harness.service.server.lock("vital", user: "ann", password: "sesame")
            try FileDescriptor.currentDirectory.makeDirectories(at: harness.group, permissions: .directoryPrivate)
            try await giveLogin(harness)
            // In the middle of the first install.
            let events = try await harness.install()
            #expect(events.last?.phase == .complete)
            try await harness.waitForLine("finished vital here")
            #expect(
                harness.journal == [
                    "asked install", "challenged vital NSURLAuthenticationMethodHTTPBasic 0", "finished vital here",
                ])
        }
    }

    @Test func theExtensionIsAskedWhenTheAppDiesOverTheQuestion() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await lockOne(harness)
            try await giveLogin(harness)
            let app = try await harness.service.connect()
            var ears = DownloadEars(app, answersChallenges: true)
            try await harness.service.schedule(harness.service.download("one"), connection)
            _ = try await ears.challenge()
            app.close()
            try await harness.waitForLine("finished one here")
            #expect(
                harness.journal.suffix(2) == [
                    "challenged one NSURLAuthenticationMethodHTTPBasic 0", "finished one here",
                ])
        }
    }

    @Test func anExtensionThatIsKilledOverTheQuestionIsDefaultHandling() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await lockOne(harness)
            try await giveLogin(harness)
            try harness.prepareHold()
            try await harness.service.schedule(harness.service.download("one"), connection)
            try await harness.waitUntilHeld()
            try harness.forgetHold()
            let apps = harness.service.paths.apps
            #expect(try await offload { SandboxLeftovers.end(below: apps) } > 0)
            try await harness.waitForLine("failed one")
            #expect(harness.journal.suffix(2) == ["challenged one NSURLAuthenticationMethodHTTPBasic 0", "failed one"])
            #expect(try await harness.service.current(connection).isEmpty)
            let notes = try await connection.send(StatusRequest()).notes.map(\.message)
            #expect(notes.contains { $0.contains("the server of one got no answer") }, "\(notes)")
            // The next one is asked as if nothing had been.
            try await harness.service.schedule(harness.service.download("one"), connection)
            try await harness.waitForLine("finished one here")
        }
    }

    @Test func anExtensionWithoutAnAnswerIsDefaultHandling() async throws {
        try await ProbeDownloaderHarness.with { harness in
            let connection = try await lockOne(harness)
            try await harness.service.schedule(harness.service.download("one"), connection)
            try await harness.waitForLine("failed one")
            #expect(harness.journal.suffix(2) == ["challenged one NSURLAuthenticationMethodHTTPBasic 0", "failed one"])
        }
    }
}

extension DownloadEars {
    /// The next question of a server.
    mutating func challenge() async throws -> ChallengeDescription {
        guard let challenge = try await next(.challenged).challenge else { throw Missing() }
        return challenge
    }

    func answer(_ challenge: ChallengeDescription, _ answer: ChallengeAnswer) async throws {
        _ = try await connection.send(
            AnswerChallengeRequest(app: ServiceHarness.app, id: challenge.id, answer: answer))
    }
}
