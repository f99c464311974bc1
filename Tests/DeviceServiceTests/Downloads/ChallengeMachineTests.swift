// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP
import Testing

@testable import DeviceService

/// What becomes of the challenges that one download meets (BA 1.4, 1.5).
@Suite struct ChallengeMachineTests {
    private static let origin = HTTPOrigin(scheme: "https", host: "example.org", port: 443)
    private static let other = HTTPOrigin(scheme: "https", host: "cdn.example.org", port: 443)

    /// A machine with its store, as the service keeps them.
    private struct Bench {
        var machine = ChallengeMachine()
        var store = CredentialStore()
        let app = "org.example.game"

        mutating func meet(
            _ demands: HTTPChallenge.Demand..., at origin: HTTPOrigin = ChallengeMachineTests.origin
        ) -> ChallengeMachine.Step {
            let challenge = HTTPChallenge(origin: origin, demands: demands)
            let code: DeviceError.Code =
                if case .serverTrust = demands[0] { .downloadUntrusted } else { .downloadServer }
            return machine.met(
                .init(challenge: challenge, error: DeviceError(code, "The server said no.")), app: app, &store)
        }

        mutating func answer(
            _ answer: ChallengeAnswer, to step: ChallengeMachine.Step
        ) throws -> ChallengeMachine.Step {
            machine.answered(answer, to: try question(step), app: app, &store)
        }

        func question(_ step: ChallengeMachine.Step) throws -> ChallengeMachine.Question {
            guard case .ask(let question) = step else { throw DeviceError(.failed, "\(step) asks nothing.") }
            return question
        }

        func error(_ step: ChallengeMachine.Step) -> DeviceError.Code? {
            guard case .fail(let error) = step else { return nil }
            return error.code
        }
    }

    private func login(_ password: String, _ persistence: ChallengeCredential.Persistence = .session) -> ChallengeAnswer
    {
        ChallengeAnswer(
            .useCredential, ChallengeCredential(persistence: persistence, user: "ann", password: password))
    }

    private func used(_ bench: Bench, at origin: HTTPOrigin = Self.origin) -> HTTPAuthentication {
        bench.machine.authentication(for: origin)
    }

    @Test func aLoginIsGivenToItsServerAlone() throws {
        var bench = Bench()
        #expect(used(bench) == HTTPAuthentication())
        let step = bench.meet(.basic(realm: "films"))
        let description = bench.machine.describe(try bench.question(step), id: "7")
        #expect(description.method == .basic && description.realm == "films" && description.host == "example.org")
        #expect(description.port == 443 && description.scheme == "https" && description.id == "7")
        #expect(description.previousFailureCount == 0 && description.proposedCredential == nil)
        #expect(try bench.answer(login("secret"), to: step) == .retry)
        #expect(used(bench).login == .init(user: "ann", password: "secret", isDigest: false))
        #expect(used(bench, at: Self.other) == HTTPAuthentication())
        let plain = HTTPOrigin(scheme: "http", host: "example.org", port: 443)
        #expect(used(bench, at: plain) == HTTPAuthentication())
    }

    @Test func refusedCredentialsAreCountedAndProposedAndForgotten() throws {
        var bench = Bench()
        var step = bench.meet(.digest(realm: "films"), .basic(realm: "films"))
        for count in 1..<ChallengeMachine.failureLimit {
            #expect(try bench.answer(login("wrong \(count)"), to: step) == .retry)
            #expect(used(bench).login?.isDigest == true)
            step = bench.meet(.digest(realm: "films"), .basic(realm: "films"))
            let description = bench.machine.describe(try bench.question(step), id: "")
            #expect(description.previousFailureCount == count)
            #expect(description.proposedCredential?.password == "wrong \(count)")
            #expect(used(bench).login == nil)
        }
        #expect(try bench.answer(login("wrong"), to: step) == .retry)
        #expect(bench.error(bench.meet(.digest(realm: "films"), .basic(realm: "films"))) == .downloadAuthentication)
        // Another download of the app does not begin with what was refused.
        bench.machine = ChallengeMachine()
        _ = try bench.question(bench.meet(.digest(realm: "films")))
    }

    @Test func whatTheAppLetsBeUsedAgainServesOtherDownloads() throws {
        var bench = Bench()
        let first = bench.meet(.basic(realm: "films"))
        #expect(try bench.answer(login("once", .none), to: first) == .retry)
        bench.machine = ChallengeMachine()
        let second = bench.meet(.basic(realm: "films"))
        #expect(try bench.answer(login("always"), to: second) == .retry)
        bench.machine = ChallengeMachine()
        #expect(bench.meet(.basic(realm: "films")) == .retry)
        #expect(used(bench).login?.password == "always")
        // Nor in another realm, by another method, on another server, in another app.
        for (demand, origin) in [
            (HTTPChallenge.Demand.basic(realm: "music"), Self.origin), (.digest(realm: "films"), Self.origin),
            (.basic(realm: "films"), Self.other),
        ] {
            bench.machine = ChallengeMachine()
            _ = try bench.question(bench.meet(demand, at: origin))
        }
        bench.machine = ChallengeMachine()
        let challenge = HTTPChallenge(origin: Self.origin, demands: [.basic(realm: "films")])
        let encounter = ChallengeMachine.Encounter(challenge: challenge, error: DeviceError(.downloadServer, "no"))
        _ = try bench.question(bench.machine.met(encounter, app: "org.example.other", &bench.store))
        // When it is refused later, it goes, and is asked for.
        bench.machine = ChallengeMachine()
        #expect(bench.meet(.basic(realm: "films")) == .retry)
        let refused = bench.meet(.basic(realm: "films"))
        #expect(bench.machine.describe(try bench.question(refused), id: "").previousFailureCount == 1)
        bench.store.forget(app: bench.app)
    }

    @Test func anAnswerToAnotherDownloadServesAQuestionThatWaits() throws {
        var (one, two) = (Bench(), Bench())
        let first = one.meet(.basic(realm: nil))
        let second = two.meet(.basic(realm: nil))
        #expect(two.machine.useKnown(try two.question(second), app: two.app, one.store) == false)
        #expect(try one.answer(login("secret"), to: first) == .retry)
        #expect(two.machine.useKnown(try two.question(second), app: two.app, one.store))
        #expect(used(two).login?.password == "secret")
    }

    @Test func rejectingASpaceTriesTheNextAndThenDefaultHandling() throws {
        var bench = Bench()
        let digest = bench.meet(.digest(realm: "films"), .basic(realm: "films"))
        #expect(try bench.question(digest).space.method == .digest)
        let basic = try bench.answer(ChallengeAnswer(.rejectProtectionSpace), to: digest)
        #expect(try bench.question(basic).space.method == .basic)
        let end = try bench.answer(ChallengeAnswer(.rejectProtectionSpace), to: basic)
        #expect(bench.error(end) == .downloadAuthentication)
    }

    @Test func endsWithoutCredential() throws {
        let unfit = ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session))
        for answer in [
            ChallengeAnswer.byDefault, ChallengeAnswer(.useCredential), unfit,
            ChallengeAnswer(.init(rawValue: "dance")),
        ] {
            var bench = Bench()
            let step = bench.meet(.basic(realm: "films"))
            #expect(bench.error(try bench.answer(answer, to: step)) == .downloadAuthentication)
            #expect(used(bench) == HTTPAuthentication())
        }
        var bench = Bench()
        let step = bench.meet(.serverTrust(certificates: [[1]], isTrusted: false))
        #expect(bench.error(try bench.answer(ChallengeAnswer(.cancel), to: step)) == .downloadAuthenticationCancelled)
    }

    @Test func acceptingAServerPinsWhatWasShown() throws {
        var bench = Bench()
        let shown = HTTPChallenge.Demand.serverTrust(certificates: [[1, 2], [3]], isTrusted: false)
        let step = bench.meet(shown)
        let description = bench.machine.describe(try bench.question(step), id: "")
        #expect(description.certificates?.map(\.bytes) == [[1, 2], [3]])
        let accept = ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session))
        #expect(try bench.answer(accept, to: step) == .retry)
        #expect(used(bench).acceptedCertificate == SHA256.hash([1, 2]))
        #expect(used(bench, at: Self.other).acceptedCertificate == nil)
        // Then a login: both hold.
        #expect(try bench.answer(login("secret"), to: bench.meet(.basic(realm: nil))) == .retry)
        #expect(used(bench).acceptedCertificate != nil && used(bench).login != nil)
        // The server shows another certificate: first the system is to say, then the app, which has not failed at anything.
        let changed = HTTPChallenge.Demand.serverTrust(certificates: [[9]], isTrusted: false)
        #expect(bench.meet(changed) == .retry)
        #expect(used(bench).acceptedCertificate == nil)
        let again = bench.meet(changed)
        #expect(bench.machine.describe(try bench.question(again), id: "").previousFailureCount == 0)
        #expect(bench.error(try bench.answer(.byDefault, to: again)) == .downloadUntrusted)
        // Another download does not take a certificate for accepted that is not the one.
        #expect(try bench.answer(accept, to: again) == .retry)
        bench.machine = ChallengeMachine()
        _ = try bench.question(bench.meet(shown))
        bench.machine = ChallengeMachine()
        #expect(bench.meet(changed) == .retry)
    }

    @Test func aServerThatTheSystemTrustsIsJudgedOnce() throws {
        let shown = HTTPChallenge.Demand.serverTrust(certificates: [[1, 2]], isTrusted: true)
        func begun(_ bench: inout Bench) {
            bench.machine = ChallengeMachine()
            bench.machine.begin(bench.store.judgements(app: bench.app), asksForTrust: true)
        }
        // Left to the system: asked no more, also for other downloads, until the system says otherwise.
        var bench = Bench()
        begun(&bench)
        #expect(used(bench).asksForTrust && used(bench, at: Self.other).asksForTrust)
        let step = bench.meet(shown)
        let description = bench.machine.describe(try bench.question(step), id: "")
        #expect(description.isTrusted == true && description.certificates?.count == 1)
        #expect(try bench.answer(.byDefault, to: step) == .retry)
        #expect(used(bench) == HTTPAuthentication() && used(bench, at: Self.other).asksForTrust)
        begun(&bench)
        #expect(used(bench) == HTTPAuthentication())
        let changed = bench.meet(.serverTrust(certificates: [[9]], isTrusted: false))
        #expect(bench.error(try bench.answer(.byDefault, to: changed)) == .downloadUntrusted)
        begun(&bench)
        #expect(used(bench).asksForTrust)

        // Accepted: this certificate and no other, whatever the system thinks of that.
        let accept = ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session))
        #expect(try bench.answer(accept, to: bench.meet(shown)) == .retry)
        begun(&bench)
        #expect(used(bench).acceptedCertificate == SHA256.hash([1, 2]) && !used(bench).asksForTrust)
        #expect(bench.meet(.serverTrust(certificates: [[9]], isTrusted: false)) == .retry)
        #expect(used(bench).asksForTrust)
        _ = try bench.question(bench.meet(.serverTrust(certificates: [[9]], isTrusted: true)))
    }

    @Test func aServerThatTheSystemTrustsMayBeRefused() throws {
        let shown = HTTPChallenge.Demand.serverTrust(certificates: [[1, 2]], isTrusted: true)
        for (disposition, code) in [
            (ChallengeAnswer.Disposition.cancel, DeviceError.Code.downloadAuthenticationCancelled),
            (.rejectProtectionSpace, .downloadUntrusted),
        ] {
            var bench = Bench()
            bench.machine.begin([:], asksForTrust: true)
            #expect(bench.error(try bench.answer(ChallengeAnswer(disposition), to: bench.meet(shown))) == code)
            // The next download asks again.
            bench.machine = ChallengeMachine()
            bench.machine.begin(bench.store.judgements(app: bench.app), asksForTrust: true)
            #expect(used(bench).asksForTrust)
        }
        // Nobody's silence is kept.
        var bench = Bench()
        bench.machine.begin([:], asksForTrust: true)
        #expect(bench.machine.unanswered(try bench.question(bench.meet(shown))) == .retry)
        #expect(used(bench) == HTTPAuthentication())
        #expect(bench.store.judgements(app: bench.app).isEmpty)
    }

    @Test func aServerThatAsksForACertificateMayBeAnsweredWithout() throws {
        var bench = Bench()
        let demand = HTTPChallenge.Demand.clientCertificate(authorities: [[5]])
        let step = bench.meet(demand)
        #expect(bench.machine.describe(try bench.question(step), id: "").authorities?.map(\.bytes) == [[5]])
        #expect(try bench.answer(.byDefault, to: step) == .retry)
        #expect(used(bench).goesWithoutIdentity)
        #expect(bench.error(bench.meet(demand)) == .downloadClientCertificate)

        var other = Bench()
        let identity = ChallengeCredential.Identity(
            format: "pem", certificate: Base64([1]), key: Base64([2]), passphrase: nil)
        let given = ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session, identity: identity))
        #expect(try other.answer(given, to: other.meet(demand)) == .retry)
        #expect(used(other).identity?.certificate == [1] && used(other).identity?.key == [2])
        let refused = other.meet(demand)
        #expect(other.machine.describe(try other.question(refused), id: "").previousFailureCount == 1)
        #expect(other.machine.describe(try other.question(refused), id: "").proposedCredential == nil)
        #expect(other.error(try other.answer(.byDefault, to: refused)) == .downloadClientCertificate)
    }

    @Test func aServerCannotKeepADownloadGoingRound() throws {
        var bench = Bench()
        var rounds = 0
        while rounds < 1000 {
            rounds += 1
            let step = bench.meet(.basic(realm: "\(rounds)"))
            if case .fail = step { break }
            _ = try bench.answer(login("secret"), to: step)
        }
        #expect(rounds == ChallengeMachine.encounterLimit + 1)
    }

    @Test func secretsAreNotInDescriptions() throws {
        var bench = Bench()
        let step = bench.meet(.basic(realm: "films"))
        let answer = login("hush-hush")
        #expect(try bench.answer(answer, to: step) == .retry)
        let identity = ChallengeCredential.Identity(
            format: "pkcs12", certificate: Base64([1]), key: nil, passphrase: "hush-hush")
        let given = ChallengeCredential(persistence: .session, identity: identity)
        for text in [
            "\(bench.machine)", String(reflecting: bench.machine), "\(bench.store)", String(reflecting: answer),
            "\(used(bench))", "\(given)", String(reflecting: identity),
            "\(AnswerChallengeRequest(app: "a", id: "b", answer: answer))",
        ] {
            #expect(!text.contains("hush"), "\(text)")
        }
    }
}
