// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HTTP
package import System

/// What a development server serves, where, and how badly.
package struct DevelopmentServerOptions: Sendable {
    /// Where the server's certificate comes from.
    package enum Identity: Sendable {
        /// PEM files of the person's own.
        case files(certificate: FilePath, key: FilePath)
        /// The development authority kept in that folder.
        case authority(FilePath)
    }

    package var archives: [FilePath]
    /// One for each archive, in order; empty for 0 each.
    package var versions: [Int] = []
    /// The name devices reach the server by.
    package var host = "localhost"
    /// 0 lets the system choose.
    package var port = 0
    package var identity: Identity
    package var faults: [FaultRule] = []
    package var certificateFault: CertificateFault?
    /// Decides which requests get faults of a probability below 1.
    package var seed: UInt64 = 0
    /// Told of every finished exchange, on a thread of the server.
    package var log: (@Sendable (HTTPExchangeRecord) -> Void)?
    /// Told what a person at the server should know.
    package var note: @Sendable (String) -> Void = { _ in }

    package init(archives: [FilePath], identity: Identity) {
        self.archives = archives
        self.identity = identity
    }
}
