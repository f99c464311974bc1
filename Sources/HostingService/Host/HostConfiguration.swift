// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Crypto
package import Database
package import Kit
internal import PackUpdates
package import System

/// Where a host keeps its data and where it listens.
package struct HostConfiguration: Sendable {
    /// The folder of the blobs, and of the database unless that is elsewhere.
    package var data: FilePath
    /// A database that many hosts share; nil for a file in the data folder.
    package var postgres: PostgresAddress?
    /// Where archives and uploads are kept; nil for the data folder.
    package var storage: HostStorage?
    /// Whether the archives were brought to another storage than they were in when the host last ran.
    package var storageHasMoved = false
    /// The name or numeric address to listen on; nil for all of this machine.
    package var host: String?
    /// 0 lets the system choose.
    package var port = 0
    /// nil serves plain http.
    package var identity: TLSIdentity?
    /// How publishers and devices reach the host, when that is not how it listens; without a slash at its end.
    package var publicURL: String?
    /// Connections without traffic are closed after so many seconds.
    package var idleSeconds = 60
    package var limits = HostLimits()
    /// Whether what is submitted is approved without anybody looking.
    package var reviewsAutomatically = false
    /// How long requests that are under way may take at the end, in seconds.
    package var drainSeconds: Int64 = 10
    /// How long addresses of archives are good for, in seconds; nil for ever, and then they are not signed.
    package var archiveLifetime: Int64?
    /// Signs devices' manifests; nil leaves them unsigned.
    package var manifestSigning: ManifestSigning?
    /// Who is told by mail; nil for nobody.
    package var mail: HostMail?
    /// Whether webhooks may be at addresses that only this network reaches, and on this machine in plain http.
    package var sendsToPrivateAddresses = false
    /// Whether a proxy at an address of this network, not on this machine alone, says for whom it asks.
    package var isBehindProxy = false
    /// Throws when what patches are made with is not there; tests have their own.
    package var findPatchLibrary: @Sendable () throws -> Void = { try PatchMaker.requireLibrary() }
    package var log = Logger.silent
    /// Now; tests have their own.
    package var clock: @Sendable () -> Timestamp = { .now }

    package init(data: FilePath) { self.data = data }

    package var database: FilePath { data.appending("host.sqlite") }

    func localURL(port: Int) -> String {
        let scheme = identity == nil ? "http" : "https"
        let name = host ?? "localhost"
        return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
    }
}
