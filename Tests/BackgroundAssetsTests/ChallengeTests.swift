// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import ExtensionFoundation
import Kit
import Testing

@testable import BackgroundAssets

/// Authentication challenges as an app and its extension see them, and what becomes of their answers (BA 1.4, 1.5).
@Suite(.timeLimit(.minutes(5))) struct ChallengeTests {
    typealias Answer = @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)

    private final class WithHandler: BADownloadManagerDelegate, Sendable {
        let answer: Answer
        init(_ answer: @escaping Answer) { self.answer = answer }
        func download(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let (disposition, credential) = answer(challenge)
            completionHandler(disposition, credential)
        }
    }

    private final class Async: BADownloadManagerDelegate, Sendable {
        let answer: Answer
        init(_ answer: @escaping Answer) { self.answer = answer }
        func download(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { answer(challenge) }
    }

    private final class Silent: BADownloadManagerDelegate, Sendable {}

    private static let login = ChallengeDescription(
        id: "1", method: .basic, scheme: "https", host: "example.org", port: 8443, realm: "films",
        previousFailureCount: 2,
        proposedCredential: ChallengeCredential(persistence: .none, user: "ann", password: "old"), reason: "because")
    private static let trust = ChallengeDescription(
        id: "2", method: .serverTrust, scheme: "https", host: "example.org", port: 443,
        certificates: [Base64([1, 2]), Base64([3])], reason: "not trusted")
    private static let certificate = ChallengeDescription(
        id: "3", method: .clientCertificate, scheme: "https", host: "example.org", port: 443,
        authorities: [Base64([5])], reason: "asks")

    private static let map = DownloadDescription(
        identifier: "map", uniqueIdentifier: "u", url: "https://example.org/map", fileSize: 10, appGroup: "g",
        state: .downloading)

    /// What the service is told when a delegate is asked.
    private func answer(
        of delegate: any BADownloadManagerDelegate & Sendable, to challenge: ChallengeDescription
    ) async throws -> ChallengeAnswer {
        let service = FakeService()
        let answers = Monitor<[AnswerChallengeRequest]>([])
        service.onStream(DownloadEventsRequest.self) { request, stream in
            #expect(request.isListening && request.answersChallenges == true)
            try stream.send(DownloadStep(.challenged, Self.map, challenge: challenge))
        }
        service.on(AnswerChallengeRequest.self) { request in
            answers.withLock { $0.append(request) }
            return EmptyReply()
        }
        let manager = BADownloadManager(
            client: DownloadClient(app: .success("org.example.Game")) { try service.connectAndWait(as: "test") })
        manager.delegate = delegate
        let answer = try await onOwnThread { answers.wait { $0.first } }
        manager.delegate = nil
        #expect(answer.app == "org.example.Game" && answer.id == challenge.id)
        return answer.answer
    }

    @Test func theChallengeSaysWhatTheServerAsks() async throws {
        let seen = Locked<[String]>([])
        let look: Answer = { challenge in
            let space = challenge.protectionSpace
            seen.withLock {
                $0 = [
                    space.host, "\(space.port)", space.protocol ?? "", space.realm ?? "", space.authenticationMethod,
                    "\(challenge.previousFailureCount)", challenge.proposedCredential?.user ?? "",
                    challenge.proposedCredential?.password ?? "", challenge.error?.localizedDescription ?? "",
                ]
            }
            return (.useCredential, URLCredential(user: "ann", password: "new", persistence: .permanent))
        }
        for delegate in [WithHandler(look), Async(look)] as [any BADownloadManagerDelegate & Sendable] {
            let given = try await answer(of: delegate, to: Self.login)
            #expect(
                given
                    == ChallengeAnswer(
                        .useCredential, ChallengeCredential(persistence: .session, user: "ann", password: "new")))
            #expect(
                seen.withLock { $0 } == [
                    "example.org", "8443", "https", "films", NSURLAuthenticationMethodHTTPBasic, "2", "ann", "old",
                    "because",
                ])
        }
    }

    @Test func dispositionsAreApples() async throws {
        for (disposition, expected) in [
            (URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge, ChallengeAnswer(.cancel)),
            (.rejectProtectionSpace, ChallengeAnswer(.rejectProtectionSpace)), (.performDefaultHandling, .byDefault),
            (.useCredential, .byDefault),
        ] {
            #expect(try await answer(of: Async { _ in (disposition, nil) }, to: Self.login) == expected)
        }
        #expect(try await answer(of: Silent(), to: Self.login) == .byDefault)
        var unknown = Self.login
        unknown.method = .init(rawValue: "dance")
        #expect(
            try await answer(
                of: WithHandler { _ in (.useCredential, URLCredential(user: "a", password: "b", persistence: .none)) },
                to: unknown) == .byDefault)
    }

    /// As on Apple's platforms.
    private static func accept(
        _ challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else { return (.performDefaultHandling, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }

    @Test func aServerIsAcceptedByWhatItHasShownOnly() async throws {
        let seen = Locked<[Data]>([])
        let accepted = try await answer(
            of: WithHandler { challenge in
                seen.withLock { $0 = challenge.protectionSpace.serverTrust?.certificates ?? [] }
                return Self.accept(challenge)
            }, to: Self.trust)
        #expect(accepted == ChallengeAnswer(.useCredential, ChallengeCredential(persistence: .session)))
        #expect(seen.withLock { $0 } == [Data([1, 2]), Data([3])])
        #expect(try await answer(of: Async { Self.accept($0) }, to: Self.login) == .byDefault)
        // A login for everything, and a credential for another server, accept nobody; an accepted server is no login.
        let login = URLCredential(user: "ann", password: "secret", persistence: .forSession)
        #expect(try await answer(of: WithHandler { _ in (.useCredential, login) }, to: Self.trust) == .byDefault)
        let other = URLCredential(trust: SecTrust(certificates: [Data([9])], isTrustedBySystem: false))
        #expect(try await answer(of: WithHandler { _ in (.useCredential, other) }, to: Self.trust) == .byDefault)
        let none = URLCredential(trust: SecTrust(certificates: [], isTrustedBySystem: false))
        #expect(try await answer(of: WithHandler { _ in (.useCredential, none) }, to: Self.trust) == .byDefault)
        #expect(try await answer(of: WithHandler { _ in (.useCredential, other) }, to: Self.login) == .byDefault)
    }

    @Test func aServerThatTheSystemTrustsIsShownAsSuch() async throws {
        let seen = Locked<[String]>([])
        for isTrusted in [nil, true] {
            var trust = Self.trust
            trust.isTrusted = isTrusted
            let answer = try await answer(
                of: WithHandler { challenge in
                    let judged = challenge.protectionSpace.serverTrust?.isTrustedBySystem
                    let code = (challenge.error as? URLError)?.code
                    seen.withLock { $0.append("\(judged == true) \(code == .serverCertificateUntrusted)") }
                    return (.cancelAuthenticationChallenge, nil)
                }, to: trust)
            #expect(answer == ChallengeAnswer(.cancel))
        }
        #expect(seen.withLock { $0 } == ["false true", "true false"])
    }

    @Test func aCertificateForTheServer() async throws {
        let pem = Data("-----BEGIN CERTIFICATE-----\n".utf8)
        let credentials: [(ClientCertificateCredential, ChallengeCredential.Identity)] = [
            (
                ClientCertificateCredential(
                    certificate: pem, key: Data([2]), passphrase: "p", persistence: .none),
                .init(format: "pem", certificate: Base64([UInt8](pem)), key: Base64([2]), passphrase: "p")
            ),
            (
                ClientCertificateCredential(certificate: Data([0x30]), key: Data([2]), persistence: .none),
                .init(format: "der", certificate: Base64([0x30]), key: Base64([2]), passphrase: nil)
            ),
            (
                ClientCertificateCredential(pkcs12: Data([0x30]), passphrase: "p", persistence: .none),
                .init(format: "pkcs12", certificate: Base64([0x30]), key: nil, passphrase: "p")
            ),
        ]
        for (credential, identity) in credentials {
            let seen = Locked<[Data]>([])
            let given = try await answer(
                of: Async { challenge in
                    #expect(
                        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate)
                    seen.withLock { $0 = challenge.protectionSpace.acceptedAuthorities }
                    return (.useCredential, credential)
                }, to: Self.certificate)
            #expect(
                given
                    == ChallengeAnswer(
                        .useCredential, ChallengeCredential(persistence: .none, identity: identity)))
            #expect(seen.withLock { $0 } == [Data([5])])
            #expect(credential.user == nil && credential.password == nil && !credential.hasPassword)
            #expect(try await answer(of: Async { _ in (.useCredential, credential) }, to: Self.login) == .byDefault)
            #expect(try await answer(of: Async { _ in (.useCredential, credential) }, to: Self.trust) == .byDefault)
        }
        #expect(credentials[0].0 != credentials[1].0 && credentials[0].0 == credentials[0].0)
    }

    // MARK: - The extension

    private struct Answering: BADownloaderExtension {
        func backgroundDownload(
            _ download: BADownload, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            await Task.yield()
            return (
                .useCredential,
                URLCredential(user: download.identifier, password: challenge.protectionSpace.host, persistence: .none)
            )
        }
    }

    private struct Mute: BADownloaderExtension {}

    @MainActor @Test func anExtensionAnswers() async throws {
        let question = try WireCodec.request(4, ChallengeRequest(download: Self.map, challenge: Self.login))
        let connection = AppExtensionConnection()
        #expect(Answering().configuration.accept(connection: connection) && connection.suspends(for: question))
        let reply = try await connection.answerInTask(question)
        #expect(
            try WireCodec.result(ChallengeAnswer.self, reply)
                == ChallengeAnswer(
                    .useCredential,
                    ChallengeCredential(persistence: .none, user: "map", password: "example.org")))
        let mute = AppExtensionConnection()
        #expect(Mute().configuration.accept(connection: mute))
        #expect(try WireCodec.result(ChallengeAnswer.self, await mute.answerInTask(question)) == .byDefault)
        let bad = Array(#"{"id":4,"method":"challenge","params":{}}"#.utf8)
        #expect(try WireCodec.header(await mute.answerInTask(bad)).error?.code == .badMessage)
        await #expect(throws: DeviceError.self) {
            try await mute.answerInTask(Array(#"{"method":"challenge","params":{}}"#.utf8))
        }
    }

    @Test func errorsAreWhatURLSessionWouldSay() {
        func code(_ code: DeviceError.Code) -> URLError.Code? {
            (downloadError(DeviceError(code, "because")) as? URLError)?.code
        }
        #expect(code(.downloadAuthentication) == .userAuthenticationRequired)
        #expect(code(.downloadAuthenticationCancelled) == .cancelled)
        #expect(code(.downloadClientCertificate) == .clientCertificateRejected)
    }
}
