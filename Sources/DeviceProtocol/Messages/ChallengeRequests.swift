// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// Authentication challenges of unmanaged downloads (BA 1.4, 1.5): what a server wants, and what app or extension says to it.

/// What a server wants to see before it gives a download's file, or that it is not trusted: as `URLAuthenticationChallenge`
/// describes it.
package struct ChallengeDescription: Codable, Hashable, Sendable {
    /// What is asked. Unknown ones are kept; they are answered with default handling.
    package struct Method: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let basic = Method(rawValue: "basic")
        package static let digest = Method(rawValue: "digest")
        package static let clientCertificate = Method(rawValue: "clientCertificate")
        package static let serverTrust = Method(rawValue: "serverTrust")
    }

    /// What the answer names; used for one question only.
    package var id: String
    package var method: Method
    /// `https`, or `http` on this machine.
    package var scheme: String
    package var host: String
    package var port: Int
    package var realm: String?
    /// How often what was answered for this download here has been refused.
    package var previousFailureCount: Int
    /// What was refused last; nil the first time.
    package var proposedCredential: ChallengeCredential?
    /// With `serverTrust`: the server's certificates in DER, its own first.
    package var certificates: [Base64]?
    /// With `serverTrust`: the system trusts them; nil when it does not.
    package var isTrusted: Bool?
    /// With `clientCertificate`: names in DER of the authorities whose certificates the server takes; none for any.
    package var authorities: [Base64]?
    /// Why, for a person.
    package var reason: String

    package init(
        id: String, method: Method, scheme: String, host: String, port: Int, realm: String? = nil,
        previousFailureCount: Int = 0, proposedCredential: ChallengeCredential? = nil, certificates: [Base64]? = nil,
        isTrusted: Bool? = nil, authorities: [Base64]? = nil, reason: String
    ) {
        self.id = id
        self.method = method
        self.scheme = scheme
        self.host = host
        self.port = port
        self.realm = realm
        self.previousFailureCount = previousFailureCount
        self.proposedCredential = proposedCredential
        self.certificates = certificates
        self.isTrusted = isTrusted
        self.authorities = authorities
        self.reason = reason
    }
}

/// What app or extension gives for a challenge. It is secret: its description says nothing of it.
package struct ChallengeCredential: Codable, Hashable, Sendable {
    /// For how long the service may use it again by itself.
    package struct Persistence: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        /// For this download alone.
        package static let none = Persistence(rawValue: "none")
        /// For the app's downloads, while the service runs. Unknown ones count as this.
        package static let session = Persistence(rawValue: "session")
    }

    /// A certificate with its private key.
    package struct Identity: Codable, Hashable, Sendable {
        /// `pem`, `der` or `pkcs12`.
        package var format: String
        package var certificate: Base64
        /// nil with `pkcs12`.
        package var key: Base64?
        package var passphrase: String?

        package init(format: String, certificate: Base64, key: Base64?, passphrase: String?) {
            self.format = format
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }
    }

    package var persistence: Persistence
    package var user: String?
    package var password: String?
    package var identity: Identity?

    /// Without user and identity it accepts the server's certificate.
    package init(
        persistence: Persistence, user: String? = nil, password: String? = nil, identity: Identity? = nil
    ) {
        self.persistence = persistence
        self.user = user
        self.password = password
        self.identity = identity
    }
}

extension ChallengeCredential: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "a credential (\(persistence.rawValue))" }
    package var debugDescription: String { description }
}

extension ChallengeCredential.Identity: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "an identity (\(format))" }
    package var debugDescription: String { description }
}

/// What app or extension says to a challenge, as `URLSession.AuthChallengeDisposition` does.
package struct ChallengeAnswer: Codable, Hashable, Sendable {
    /// Unknown ones count as default handling.
    package struct Disposition: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let useCredential = Disposition(rawValue: "useCredential")
        package static let performDefaultHandling = Disposition(rawValue: "performDefaultHandling")
        package static let cancel = Disposition(rawValue: "cancel")
        package static let rejectProtectionSpace = Disposition(rawValue: "rejectProtectionSpace")
    }

    package var disposition: Disposition
    /// With `useCredential`; without one it is default handling.
    package var credential: ChallengeCredential?

    package init(_ disposition: Disposition, _ credential: ChallengeCredential? = nil) {
        self.disposition = disposition
        self.credential = credential
    }

    package static let byDefault = ChallengeAnswer(.performDefaultHandling)
}

/// An app's answer to the step `challenged` of `downloads.events`. One that comes late, or again, does nothing.
package struct AnswerChallengeRequest: DeviceRequest {
    package static let method = "downloads.answerChallenge"
    package typealias Reply = EmptyReply
    package var app: String
    /// The challenge's.
    package var id: String
    package var answer: ChallengeAnswer

    package init(app: String, id: String, answer: ChallengeAnswer) {
        self.app = app
        self.id = id
        self.answer = answer
    }
}

/// Asks an extension what to say to a challenge (BA 1.5 `backgroundDownload(_:didReceive:)`).
package struct ChallengeRequest: DeviceRequest {
    package static let method = "challenge"
    package typealias Reply = ChallengeAnswer
    package var download: DownloadDescription
    package var challenge: ChallengeDescription

    package init(download: DownloadDescription, challenge: ChallengeDescription) {
        self.download = download
        self.challenge = challenge
    }
}
