// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why a server's certificate was refused, and what to do about it.
enum CertificateProblem: Hashable {
    case expired, notYetValid, wrongName, untrusted

    /// - Parameter result: OpenSSL's result of verifying the chain (`X509_V_ERR_…`). Where the chain is good, libcurl compares
    ///   the name apart from it and leaves 0, or the 1 (unspecified) that it began with.
    init(_ result: Int) {
        self =
            switch result {
            case 9: .notYetValid
            case 10: .expired
            case 0, 1, 62, 64: .wrongName
            default: .untrusted
            }
    }

    var words: String {
        switch self {
        case .expired:
            "the server's certificate has expired; renew it on the server, or set this machine's clock if that is wrong"
        case .notYetValid:
            "the server's certificate is not valid yet; set this machine's clock, or the server's when it was made there"
        case .wrongName:
            "the server's certificate is made out to another name; use the address it names, or get the server one for this "
                + "address"
        case .untrusted:
            "the server's certificate is not trusted; for a development server, trust its authority with 'larder trust'"
        }
    }
}
