// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSLShim
package import Kit

/// What goes wrong with keys and certificates.
package typealias CryptoError = RoomError<CryptoErrorCode>

/// What goes wrong, by kind.
package struct CryptoErrorCode: ErrorCode {
    package let name: String

    /// A key or certificate cannot be read.
    package static let unreadable = Self(name: "crypto.unreadable")
    /// A key does not belong to its certificate.
    package static let mismatch = Self(name: "crypto.mismatch")
    /// A host name cannot stand in a certificate.
    package static let badHost = Self(name: "crypto.bad-host")
    /// libcrypto refused.
    package static let failed = Self(name: "crypto.failed")
    /// A file of the development authority cannot be used.
    package static let authority = Self(name: "crypto.authority")
}

extension CryptoError {
    /// With what libcrypto says about it.
    static func failed(_ message: String, _ code: Code = .failed) -> CryptoError {
        let reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
            guard let base = buffer.baseAddress else { return "" }
            larder_ossl_reason(base, buffer.count)
            return String(cString: base)
        }
        return CryptoError(code, message, cause: reason.isEmpty ? nil : LibcryptoReason(text: reason))
    }
}

/// libcrypto's own words.
private struct LibcryptoReason: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
