// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Kit

extension CertificateFault {
    /// A certificate that is wrong in this way and in no other, if there is an authority that devices may trust.
    /// - Throws: `CryptoError`
    func identity(host: HostName, authority: DevelopmentAuthority?) throws -> TLSIdentity {
        let now = Timestamp.now.seconds
        let day: Int64 = 86_400
        let hosts =
            try self == .name ? [HostName("wrong.invalid")] : [host, HostName("localhost"), HostName("127.0.0.1")]
        let from = self == .expired ? now - 2 * day : now - 3600
        let days: Int64 = self == .expired ? 1 : 30
        if self != .untrusted, let authority {
            return try authority.temporaryIdentity(hosts: hosts, from: from, days: days)
        }
        return try CertificateAuthority(name: "Larder unknown authority", now: now - 10 * day)
            .issue(hosts: hosts, from: from, days: days)
    }
}
