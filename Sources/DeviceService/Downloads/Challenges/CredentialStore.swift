// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol

/// What apps have answered to servers and let be used again: in memory only, for as long as the service runs, each app its own.
struct CredentialStore: Sendable {
    /// Protection spaces of one app that are remembered; with one more all are forgotten.
    private static let limit = 256

    private var apps: [String: [ProtectionSpace: Credential]] = [:]

    subscript(app: String, space: ProtectionSpace) -> Credential? { apps[app]?[space] }

    /// What is known of the servers' certificates.
    func judgements(app: String) -> [ProtectionSpace: Credential] {
        (apps[app] ?? [:]).filter { $0.key.method == .serverTrust }
    }

    mutating func keep(_ credential: Credential, for space: ProtectionSpace, app: String) {
        if apps[app, default: [:]].count >= Self.limit { apps[app] = [:] }
        apps[app, default: [:]][space] = credential
    }

    /// Forgets a credential that is of no use, unless another one has taken its place.
    mutating func drop(_ credential: Credential, for space: ProtectionSpace, app: String) {
        if apps[app]?[space] == credential { apps[app]?[space] = nil }
    }

    mutating func forget(app: String) { apps[app] = nil }
}
