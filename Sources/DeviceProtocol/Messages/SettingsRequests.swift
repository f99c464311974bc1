// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// What a person sets: trusted authorities, the developer's URL override; and the service's own checks.

/// Trusts a certificate authority for downloads, besides the system's.
package struct TrustAddRequest: DeviceRequest {
    package static let method = "trust.add"
    package typealias Reply = EmptyReply
    /// What it is called in the list: letters, digits, `.`, `-`, `_`.
    package var name: String
    /// One or more certificates in PEM form.
    package var pem: String

    package init(name: String, pem: String) {
        self.name = name
        self.pem = pem
    }
}

package struct TrustListRequest: DeviceRequest {
    package static let method = "trust.list"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        package var names: [String]
        package init(names: [String]) { self.names = names }
    }
}

package struct TrustRemoveRequest: DeviceRequest {
    package static let method = "trust.remove"
    package typealias Reply = EmptyReply
    package var name: String
    package init(name: String) { self.name = name }
}

/// Sends all apps' manifest requests to a development server (C13).
package struct URLOverrideSetRequest: DeviceRequest {
    package static let method = "urlOverride.set"
    package typealias Reply = EmptyReply
    /// An https URL of scheme, host and port only; plain http is taken for loopback addresses.
    package var url: String
    package init(url: String) { self.url = url }
}

package struct URLOverrideGetRequest: DeviceRequest {
    package static let method = "urlOverride.get"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        package var url: String?
        package init(url: String?) { self.url = url }
    }
}

package struct URLOverrideClearRequest: DeviceRequest {
    package static let method = "urlOverride.clear"
    package typealias Reply = EmptyReply
    package init() {}
}

/// Looks for what is wrong with the service's state, or an app's set-up (B7).
package struct DoctorRequest: DeviceRequest {
    package static let method = "doctor"
    /// nil: the service and every installed app.
    package var app: String?
    package init(app: String? = nil) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        package var findings: [DoctorFinding]
        package init(findings: [DoctorFinding]) { self.findings = findings }
    }
}

package struct DoctorFinding: Codable, Hashable, Sendable {
    /// `error`, `warning` or `ok`.
    package var severity: String
    /// What was looked at, such as a bundle id, a key or a path.
    package var subject: String
    package var message: String
    /// What to put where.
    package var advice: String?

    package init(severity: String, subject: String, message: String, advice: String? = nil) {
        self.severity = severity
        self.subject = subject
        self.message = message
        self.advice = advice
    }
}

/// Asks the service to end, keeping everything for the next start.
package struct StopRequest: DeviceRequest {
    package static let method = "stop"
    package typealias Reply = EmptyReply
    package init() {}
}
