// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import HTTP

/// Where a credential holds: a server, and what it asks for. It is given nowhere else.
struct ProtectionSpace: Hashable, Sendable {
    let origin: HTTPOrigin
    let method: ChallengeDescription.Method
    /// The part of the server that name and password are for.
    let realm: String?

    init(_ origin: HTTPOrigin, _ demand: HTTPChallenge.Demand) {
        self.origin = origin
        switch demand {
        case .basic(let realm): (method, self.realm) = (.basic, realm)
        case .digest(let realm): (method, self.realm) = (.digest, realm)
        case .clientCertificate: (method, realm) = (.clientCertificate, nil)
        case .serverTrust: (method, realm) = (.serverTrust, nil)
        }
    }
}

/// What was answered for a protection space.
enum Credential: Hashable, Sendable {
    case login(user: String, password: String)
    case identity(HTTPAuthentication.Identity)
    /// The server's certificate is accepted, and no other.
    case acceptance(Digest)
    /// The system's judgement of the server will do, whatever it shows.
    case systemTrust

    /// The credential that an answer holds for what was asked; nil when it holds none that fits.
    init?(_ given: ChallengeCredential, for demand: HTTPChallenge.Demand) {
        switch demand {
        case .basic, .digest:
            guard let user = given.user, let password = given.password else { return nil }
            self = .login(user: user, password: password)
        case .clientCertificate:
            guard let identity = given.identity.flatMap(HTTPAuthentication.Identity.init) else { return nil }
            self = .identity(identity)
        case .serverTrust(let certificates, _):
            // Exactly the one that was shown.
            guard let own = certificates.first else { return nil }
            self = .acceptance(SHA256.hash(own))
        }
    }

    /// As it is shown to whoever gave it. An identity goes one way only.
    var proposal: ChallengeCredential? {
        guard case .login(let user, let password) = self else { return nil }
        return ChallengeCredential(persistence: .none, user: user, password: password)
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible {
    var description: String { "a credential" }
    var debugDescription: String { description }
}

extension HTTPAuthentication.Identity {
    /// nil for a form that is not known.
    init?(_ given: ChallengeCredential.Identity) {
        let format: Format
        switch given.format {
        case "pem": format = .pem
        case "der": format = .der
        case "pkcs12": format = .pkcs12
        default: return nil
        }
        self.init(
            format: format, certificate: given.certificate.bytes, key: given.key?.bytes ?? [],
            passphrase: given.passphrase ?? "")
    }
}
