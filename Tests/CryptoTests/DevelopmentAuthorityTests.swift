// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

@testable import Crypto

@Suite struct DevelopmentAuthorityTests {
    private let now: Int64 = 1_800_000_000
    private let day: Int64 = 86_400

    @Test func isMadeOnceAndUsedAgain() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path.appending("authority")
        let first = try DevelopmentAuthority(folder: path, now: now)
        #expect(first.isNew)
        let second = try DevelopmentAuthority(folder: path, now: now + 100 * day)
        #expect(!second.isNew)
        let one = try first.identity(hosts: [])
        #expect(try second.identity(hosts: []).certificates == one.certificates)
        #expect(try first.identity(hosts: ["localhost", "127.0.0.1"]).key == one.key)
    }

    @Test func keysAreForTheirOwnerAlone() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path.appending("authority")
        _ = try DevelopmentAuthority(folder: path, now: now).identity(hosts: [])
        let here = FileDescriptor.currentDirectory
        #expect(try here.status(at: path).permissions.rawValue & 0o777 == 0o700)
        for name in ["authority.key", "server.key"] {
            #expect(try here.status(at: path.appending(name)).permissions.rawValue & 0o777 == 0o600)
        }
    }

    @Test func coversThisMachineAndTheHostsGiven() throws {
        let folder = try TemporaryDirectory()
        let authority = try DevelopmentAuthority(folder: folder.path, now: now)
        let identity = try authority.identity(hosts: ["assets.example.com", "192.0.2.7"])
        let leaf = try Certificate(pem: identity.certificates)
        for host in ["localhost", "127.0.0.1", "::1", "assets.example.com", "192.0.2.7"] {
            #expect(leaf.covers(try HostName(host)), "\(host)")
        }
        #expect(!leaf.covers(try HostName("example.com")))
        #expect(!leaf.covers(try HostName("192.0.2.8")))
    }

    @Test func isRenewedBeforeItEnds() throws {
        let folder = try TemporaryDirectory()
        let first = try DevelopmentAuthority(folder: folder.path, now: now)
        let leaf = try first.identity(hosts: [])
        let left = try Certificate(pem: leaf.certificates).secondsLeft(at: now)
        #expect(left > 300 * day && left <= 825 * day)

        let later = try DevelopmentAuthority(folder: folder.path, now: now + left - day)
        #expect(!later.isNew)
        #expect(try later.identity(hosts: []).certificates != leaf.certificates)

        let muchLater = try DevelopmentAuthority(folder: folder.path, now: now + 824 * day)
        #expect(muchLater.isNew)
        // A certificate of the authority before is of no use any more.
        let renewed = try Certificate(pem: muchLater.identity(hosts: []).certificates)
        #expect(renewed.secondsLeft(at: now + 824 * day) > 0)
        #expect(try !renewed.isIssued(by: Certificate(pem: leaf.certificates), key: PrivateKey(pem: leaf.key)))
    }

    @Test func neverOutlivesItsLimit() throws {
        let authority = try CertificateAuthority(name: "test", now: now)
        #expect(authority.certificate.secondsLeft(at: now) <= 825 * day)
        let leaf = try authority.issue(hosts: [HostName("localhost")], from: now + 800 * day, days: 400)
        let end = try Certificate(pem: leaf.certificates).secondsLeft(at: now)
        #expect(end <= authority.certificate.secondsLeft(at: now))
    }

    @Test func aDamagedAuthorityIsReportedAndNotReplaced() throws {
        let folder = try TemporaryDirectory()
        _ = try DevelopmentAuthority(folder: folder.path, now: now)
        let key = folder.path.appending("authority.key")
        try AtomicFile.write(Array("garbage".utf8), to: key, durable: false)
        let error = #expect(throws: CryptoError.self) { try DevelopmentAuthority(folder: folder.path, now: now) }
        #expect(error?.code == .authority)
        #expect(error?.message.contains(folder.path.string) == true)

        try AtomicFile.write(CertificateAuthority(name: "other", now: now).key.pem(), to: key, durable: false)
        #expect(throws: CryptoError.self) { try DevelopmentAuthority(folder: folder.path, now: now) }
    }

    @Test func aDamagedServerCertificateIsMadeAnew() throws {
        let folder = try TemporaryDirectory()
        let authority = try DevelopmentAuthority(folder: folder.path, now: now)
        let first = try authority.identity(hosts: [])
        try AtomicFile.write(Array("garbage".utf8), to: folder.path.appending("server.pem"), durable: false)
        #expect(try authority.identity(hosts: []).certificates != first.certificates)
    }

    @Test(arguments: ["", "a b", "x,IP:10.0.0.1", "-v", "höst", "a:b", "name:443", String(repeating: "a", count: 300)])
    func refusesWhatIsNoHost(name: String) {
        let error = #expect(throws: CryptoError.self) { try HostName(name) }
        #expect(error?.code == .badHost)
    }

    @Test func identityNamesTheFilesThatDoNotFit() throws {
        let folder = try TemporaryDirectory()
        let one = try CertificateAuthority(name: "one", now: now)
        let two = try CertificateAuthority(name: "two", now: now)
        let certificate = folder.path.appending("c.pem")
        let key = folder.path.appending("k.pem")
        try AtomicFile.write(one.pem(), to: certificate, durable: false)
        try AtomicFile.write(two.key.pem(), to: key, durable: false)
        let mismatch = #expect(throws: CryptoError.self) { try TLSIdentity(certificateFile: certificate, keyFile: key) }
        #expect(mismatch?.code == .mismatch)
        #expect(mismatch?.message.contains("k.pem") == true)
        let missing = #expect(throws: CryptoError.self) {
            try TLSIdentity(certificateFile: certificate, keyFile: folder.path.appending("none.pem"))
        }
        #expect(missing?.code == .unreadable)
    }
}
