// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#if FoundationNetworking
    internal import DeviceProtocol
    internal import Foundation
    internal import FoundationNetworking

    extension URLAuthenticationChallenge {
        /// What the service asks, as the app sees it; nil for something that a newer service asks.
        convenience init?(_ description: ChallengeDescription) {
            let method: String
            let code: URLError.Code
            switch description.method {
            case .basic: (method, code) = (NSURLAuthenticationMethodHTTPBasic, .userAuthenticationRequired)
            case .digest: (method, code) = (NSURLAuthenticationMethodHTTPDigest, .userAuthenticationRequired)
            case .clientCertificate:
                (method, code) = (NSURLAuthenticationMethodClientCertificate, .clientCertificateRequired)
            case .serverTrust: (method, code) = (NSURLAuthenticationMethodServerTrust, .serverCertificateUntrusted)
            default: return nil
            }
            let space = ServerProtectionSpace(
                host: description.host, port: description.port, scheme: description.scheme, realm: description.realm,
                method: method,
                trust: description.certificates.map { certificates in
                    SecTrust(
                        certificates: certificates.map { Data($0.bytes) },
                        isTrustedBySystem: description.isTrusted == true)
                },
                authorities: (description.authorities ?? []).map { Data($0.bytes) })
            let proposed = description.proposedCredential.flatMap { proposed -> URLCredential? in
                guard let user = proposed.user else { return nil }
                return URLCredential(user: user, password: proposed.password ?? "", persistence: .none)
            }
            // A server that the system trusts has done nothing wrong.
            let error =
                description.isTrusted == true
                ? nil : URLError(code, userInfo: [NSLocalizedDescriptionKey: description.reason])
            self.init(
                protectionSpace: space, proposedCredential: proposed,
                previousFailureCount: description.previousFailureCount, failureResponse: nil, error: error,
                sender: Silence())
        }

        /// Challenges are answered by what the method returns or its handler is given.
        private final class Silence: NSObject, URLAuthenticationChallengeSender {
            func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
            func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
            func cancel(_ challenge: URLAuthenticationChallenge) {}
            func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
            func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
        }
    }

    extension ChallengeAnswer {
        /// What the app says, as the service takes it. A credential of another kind than was asked for is none.
        init(
            _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
            to challenge: ChallengeDescription
        ) {
            switch disposition {
            case .useCredential:
                let given = credential.flatMap { ChallengeCredential($0, for: challenge) }
                self = given.map { ChallengeAnswer(.useCredential, $0) } ?? .byDefault
            case .performDefaultHandling: self = .byDefault
            case .cancelAuthenticationChallenge: self.init(.cancel)
            case .rejectProtectionSpace: self.init(.rejectProtectionSpace)
            @unknown default: self = .byDefault
            }
        }
    }

    extension ChallengeCredential {
        fileprivate init?(_ credential: URLCredential, for challenge: ChallengeDescription) {
            let persistence: Persistence = credential.persistence == .none ? .none : .session
            switch challenge.method {
            case .basic, .digest:
                guard !credential.isTrust, let user = credential.user, let password = credential.password else {
                    return nil
                }
                self.init(persistence: persistence, user: user, password: password)
            case .clientCertificate:
                guard let identity = (credential as? ClientCertificateCredential)?.identity else { return nil }
                self.init(persistence: persistence, identity: identity)
            case .serverTrust:
                // Exactly the certificate that was asked about; a login that answers everything accepts no server.
                guard credential.accepts(challenge.certificates?.first.map { Data($0.bytes) }) else { return nil }
                self.init(persistence: persistence)
            default: return nil
            }
        }
    }
#endif
