// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Why a signed manifest, or the keys that come with one, is not believed.
package struct ManifestRefusal: LarderError, Equatable {
    package enum Reason: String, Hashable, Sendable {
        /// It is not written as signed manifests are.
        case format
        case unsigned
        /// Too few good signatures of the keys that count.
        case signature
        /// Keys that the keys before them did not hand over to.
        case keys
        /// It is another app's, another platform's or another channel's.
        case subject
        /// An older one than was accepted already.
        case generation
        case expired
        /// The device's clock is behind.
        case clock
        /// Something in it could be exchanged without breaking a signature.
        case coverage
    }

    package let reason: Reason
    package let message: String

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    package var codeName: String { "manifest.refused" }
    package var cause: (any Error)? { nil }
    package var exitCode: ExitCode { .refused }
}
