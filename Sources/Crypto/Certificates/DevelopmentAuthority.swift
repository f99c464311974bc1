// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
package import System

/// The authority that development servers on this machine take their certificates from, kept in a folder.
///
/// It is made when first needed and used again from then on, so that a device has to be told to trust it once. Key files
/// are readable by their owner alone.
package struct DevelopmentAuthority {
    /// What devices are to trust: the authority's certificate.
    package let certificateFile: FilePath
    /// Its name in the authority's folder.
    package static let certificateName = "authority.pem"
    /// Whether it was made just now, so that no device can know it yet.
    package let isNew: Bool
    private let folder: FilePath
    private let authority: CertificateAuthority
    private let now: Int64

    /// Certificates that end sooner than this are replaced.
    package static let renewalDays: Int64 = 30
    private static let renewalMargin = renewalDays * 86_400

    /// Opens the authority in `folder`, or makes it.
    /// - Parameter now: seconds since 1970.
    /// - Throws: `CryptoError`
    package init(folder: FilePath, now: Int64 = Timestamp.now.seconds) throws {
        self.folder = folder
        self.now = now
        certificateFile = folder.appending(Self.certificateName)
        do {
            try FileDescriptor.currentDirectory.makeDirectories(at: folder, permissions: .directoryPrivate)
            let lock = try FileLock.acquire(folder.appending("lock"), .exclusive)
            defer { lock.descriptor.unlock() }
            if let known = try Self.known(in: folder), known.certificate.secondsLeft(at: now) > Self.renewalMargin {
                authority = known
                isNew = false
                return
            }
            authority = try CertificateAuthority(name: "Larder development authority", now: now)
            isNew = true
            try Self.write(authority.key.pem(), folder.appending("authority.key"), .filePrivate)
            try Self.write(authority.pem(), certificateFile, .fileDefault)
        } catch let error as Errno {
            throw CryptoError(.authority, "The development authority cannot be kept in \(folder).", cause: error)
        }
    }

    private static func known(in folder: FilePath) throws -> CertificateAuthority? {
        guard let certificate = try read(folder.appending(Self.certificateName)),
            let key = try read(folder.appending("authority.key"))
        else { return nil }
        do {
            return try CertificateAuthority(certificate: Certificate(pem: certificate), key: PrivateKey(pem: key))
        } catch {
            throw CryptoError(
                .authority,
                "The development authority in \(folder) is damaged. Remove the folder; a new one is made, which devices "
                    + "have to be told to trust.", cause: error)
        }
    }

    /// The server's identity for these hosts and for this machine's own names: the one from before if it still fits, else
    /// a new one.
    /// - Throws: `CryptoError`
    package func identity(hosts: [String]) throws -> TLSIdentity {
        var names = try ["localhost", "127.0.0.1", "::1"].map(HostName.init)
        for host in try hosts.map(HostName.init) where !names.contains(host) { names.append(host) }
        do {
            let lock = try FileLock.acquire(folder.appending("lock"), .exclusive)
            defer { lock.descriptor.unlock() }
            if let known = knownIdentity(covering: names) { return known }
            let identity = try authority.issue(hosts: names, from: now - 3600)
            try Self.write(identity.key, folder.appending("server.key"), .filePrivate)
            try Self.write(identity.certificates, folder.appending("server.pem"), .fileDefault)
            return identity
        } catch let error as Errno {
            throw CryptoError(.authority, "The server's certificate cannot be kept in \(folder).", cause: error)
        }
    }

    /// A certificate that is not kept: for servers that are to be wrong on purpose.
    /// - Parameters:
    ///   - from: start of its validity, in seconds since 1970.
    ///   - days: how long it is valid.
    /// - Throws: `CryptoError`
    package func temporaryIdentity(hosts: [HostName], from: Int64, days: Int64) throws -> TLSIdentity {
        try authority.issue(hosts: hosts, from: from, days: days)
    }

    /// Whatever is wrong with it, a server's certificate is simply made anew.
    private func knownIdentity(covering names: [HostName]) -> TLSIdentity? {
        guard let certificates = try? Self.read(folder.appending("server.pem")),
            let key = try? Self.read(folder.appending("server.key")), let leaf = try? Certificate(pem: certificates),
            leaf.secondsLeft(at: now) > Self.renewalMargin,
            leaf.isIssued(by: authority.certificate, key: authority.key), names.allSatisfy(leaf.covers)
        else { return nil }
        return try? TLSIdentity(certificates: certificates, key: key)
    }

    private static func read(_ file: FilePath) throws -> [UInt8]? {
        do {
            return try File.read(file, limit: 1 << 20)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    private static func write(_ bytes: [UInt8], _ file: FilePath, _ permissions: FilePermissions) throws {
        try AtomicFile.write(bytes, to: file, durable: true, permissions: permissions)
    }
}
