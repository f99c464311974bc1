// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import COpenSSLShim
internal import Kit

/// What goes wrong with keys and certificates.
package struct CryptoError: LarderError {
    package struct Code: Hashable, Sendable {
        package let name: String
        /// A key or certificate cannot be read.
        package static let unreadable = Code(name: "crypto.unreadable")
        /// A key does not belong to its certificate.
        package static let mismatch = Code(name: "crypto.mismatch")
        /// A host name cannot stand in a certificate.
        package static let badHost = Code(name: "crypto.bad-host")
        /// libcrypto refused.
        package static let failed = Code(name: "crypto.failed")
        /// A file of the development authority cannot be used.
        package static let authority = Code(name: "crypto.authority")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var codeName: String { code.name }

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
