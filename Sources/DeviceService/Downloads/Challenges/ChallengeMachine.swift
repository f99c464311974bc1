// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP

/// What becomes of the challenges that one download meets: facts in, steps out (BA 1.4, 1.5). It knows no socket and no clock;
/// who is asked, and for how long, is others' business.
struct ChallengeMachine: Sendable {
    /// A challenge, and what its server said.
    struct Encounter: Hashable, Sendable {
        var challenge: HTTPChallenge
        /// Why the attempt ended; the download's error if nothing helps.
        var error: DeviceError
    }

    /// What app or extension is to be asked.
    struct Question: Hashable, Sendable {
        var space: ProtectionSpace
        var demand: HTTPChallenge.Demand
        var encounter: Encounter

        var isAboutTrust: Bool { space.method == .serverTrust }
    }

    enum Step: Hashable, Sendable {
        /// Try again, with what `authentication(for:)` says now.
        case retry
        case ask(Question)
        case fail(DeviceError)
    }

    /// Credentials of one download that servers may refuse before it fails.
    static let failureLimit = 5
    /// Attempts that may end in a challenge, whatever the answers: a server cannot keep a download going round for ever.
    static let encounterLimit = 24

    private var inUse: [ProtectionSpace: Credential] = [:]
    private var refused: [ProtectionSpace: Credential] = [:]
    private var failures: [ProtectionSpace: Int] = [:]
    private var rejected: Set<ProtectionSpace> = []
    /// Servers that are to give the file without a certificate.
    private var withoutIdentity: Set<HTTPOrigin> = []
    private var encounters = 0
    /// Whether app or extension is there to judge servers that the system trusts.
    private var asksForTrust = false

    /// An attempt is about to begin.
    /// - Parameters:
    ///   - judgements: what the app said of servers before.
    ///   - asksForTrust: somebody can be asked about servers that the system trusts.
    mutating func begin(_ judgements: [ProtectionSpace: Credential], asksForTrust: Bool) {
        inUse.merge(judgements) { known, _ in known }
        self.asksForTrust = asksForTrust
    }

    /// Whether nothing is known yet of what the app thinks of a server.
    func isUnjudged(_ origin: HTTPOrigin) -> Bool {
        origin.scheme == "https" && !inUse.keys.contains { $0.origin == origin && $0.method == .serverTrust }
    }

    /// What the next request to a server proves and accepts.
    func authentication(for origin: HTTPOrigin) -> HTTPAuthentication {
        var authentication = HTTPAuthentication()
        authentication.goesWithoutIdentity = withoutIdentity.contains(origin)
        authentication.asksForTrust = asksForTrust && isUnjudged(origin)
        for (space, credential) in inUse where space.origin == origin {
            switch credential {
            case .login(let user, let password):
                authentication.login = .init(user: user, password: password, isDigest: space.method == .digest)
            case .identity(let identity): authentication.identity = identity
            case .acceptance(let digest): authentication.acceptedCertificate = digest
            case .systemTrust: break
            }
        }
        return authentication
    }

    /// An attempt has ended with a challenge.
    /// - Parameter store: what the app let be used again; what the server has refused goes from there.
    mutating func met(_ encounter: Encounter, app: String, _ store: inout CredentialStore) -> Step {
        encounters += 1
        guard encounters <= Self.encounterLimit else { return .fail(encounter.error) }
        for demand in encounter.challenge.demands {
            let space = ProtectionSpace(encounter.challenge.origin, demand)
            guard let used = inUse.removeValue(forKey: space) else { continue }
            store.drop(used, for: space, app: app)
            switch used {
            // Another certificate than was accepted: maybe one that the system trusts.
            case .acceptance: return .retry
            // The system trusts it no more.
            case .systemTrust: continue
            case .login, .identity: break
            }
            refused[space] = used
            failures[space, default: 0] += 1
            if failures[space, default: 0] >= Self.failureLimit { return .fail(Self.refusal(encounter, space)) }
        }
        return next(encounter, app: app, store)
    }

    /// The best of what the server offers that is not ruled out.
    private mutating func next(_ encounter: Encounter, app: String, _ store: CredentialStore) -> Step {
        for demand in encounter.challenge.demands {
            let space = ProtectionSpace(encounter.challenge.origin, demand)
            guard !rejected.contains(space) else { continue }
            let question = Question(space: space, demand: demand, encounter: encounter)
            if useKnown(question, app: app, store) { return .retry }
            // It went on without, and that was not enough.
            if space.method == .clientCertificate, withoutIdentity.contains(space.origin) {
                return .fail(Self.refusal(encounter, space))
            }
            return .ask(question)
        }
        return .fail(Self.refusal(encounter, nil))
    }

    /// Takes what is known by now for the question, from another download's answer. False when there is nothing new.
    mutating func useKnown(_ question: Question, app: String, _ store: CredentialStore) -> Bool {
        if inUse[question.space] != nil { return true }
        guard let known = store[app, question.space], known != refused[question.space] else { return false }
        if case .serverTrust(let certificates, let isTrusted) = question.demand {
            switch known {
            case .acceptance(let digest) where certificates.first.map(SHA256.hash) != digest: return false
            case .systemTrust where !isTrusted: return false
            default: break
            }
        }
        use(known, for: question.space)
        return true
    }

    private mutating func use(_ credential: Credential, for space: ProtectionSpace) {
        if case .login = credential {
            // One request has one login.
            for (other, known) in inUse where other.origin == space.origin {
                if case .login = known { inUse[other] = nil }
            }
        }
        inUse[space] = credential
    }

    /// What app or extension is told with a question.
    /// - Parameter id: what the answer is to name.
    func describe(_ question: Question, id: String) -> ChallengeDescription {
        var description = ChallengeDescription(
            id: id, method: question.space.method, scheme: question.space.origin.scheme,
            host: question.space.origin.host, port: question.space.origin.port, realm: question.space.realm,
            previousFailureCount: failures[question.space, default: 0],
            proposedCredential: refused[question.space]?.proposal, reason: question.encounter.error.message)
        switch question.demand {
        case .basic, .digest: break
        case .clientCertificate(let authorities): description.authorities = authorities.map(Base64.init)
        case .serverTrust(let certificates, let isTrusted):
            description.certificates = certificates.map(Base64.init)
            guard isTrusted else { break }
            description.isTrusted = true
            description.reason = "The system trusts the server; it is for the app to say whether it does, too."
        }
        return description
    }

    /// App or extension has answered.
    mutating func answered(
        _ answer: ChallengeAnswer, to question: Question, app: String, _ store: inout CredentialStore
    ) -> Step {
        switch answer.disposition {
        case .useCredential:
            guard let given = answer.credential, let credential = Credential(given, for: question.demand) else {
                return byDefault(question, app: app, &store)
            }
            use(credential, for: question.space)
            if given.persistence != .none { store.keep(credential, for: question.space, app: app) }
            return .retry
        case .cancel:
            var error = question.encounter.error
            error.code = .downloadAuthenticationCancelled
            error.message += " The download was ended instead of an answer."
            return .fail(error)
        case .rejectProtectionSpace:
            rejected.insert(question.space)
            let others = question.encounter.challenge.demands.map { ProtectionSpace(question.space.origin, $0) }
            guard others.allSatisfy(rejected.contains) else { return next(question.encounter, app: app, store) }
            // A server that is rejected is not accepted because the system would.
            return question.isAboutTrust
                ? .fail(Self.refusal(question.encounter, question.space)) : unanswered(question)
        default: return byDefault(question, app: app, &store)
        }
    }

    /// What app or extension leaves to the system. Of a server that it trusts they are not asked again.
    private mutating func byDefault(
        _ question: Question, app: String, _ store: inout CredentialStore
    ) -> Step {
        let step = unanswered(question)
        if let judgement = inUse[question.space], case .systemTrust = judgement {
            store.keep(judgement, for: question.space, app: app)
        }
        return step
    }

    /// Nobody has answered: nothing is accepted that the system does not trust, and nothing proven.
    mutating func unanswered(_ question: Question) -> Step {
        if case .serverTrust(_, isTrusted: true) = question.demand {
            use(.systemTrust, for: question.space)
            return .retry
        }
        guard case .clientCertificate = question.demand, !withoutIdentity.contains(question.space.origin),
            failures[question.space] == nil
        else { return .fail(Self.refusal(question.encounter, question.space)) }
        withoutIdentity.insert(question.space.origin)
        return .retry
    }

    /// The download has failed for want of a right credential: none that it used is used again.
    func dropAll(app: String, _ store: inout CredentialStore) {
        for (space, credential) in inUse { store.drop(credential, for: space, app: app) }
    }

    private static func refusal(_ encounter: Encounter, _ space: ProtectionSpace?) -> DeviceError {
        var error = encounter.error
        guard space?.method != .serverTrust, case let demands = encounter.challenge.demands, !demands.isEmpty else {
            return error
        }
        if case .serverTrust = demands[0] { return error }
        if case .clientCertificate = demands[0] {
            error.code = .downloadClientCertificate
        } else {
            error.code = .downloadAuthentication
            error.message +=
                " Answer its challenge with a right credential, in the download manager's delegate or the extension."
        }
        return error
    }
}
