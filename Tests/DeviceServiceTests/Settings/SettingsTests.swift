// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import TestSupport
import Testing

@testable import DeviceService

@Suite(.timeLimit(.minutes(5))) struct SettingsTests {
    private static let certificate = "-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----"

    @Test func authoritiesAreAddedListedAndRemoved() async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            let pem = "\(Self.certificate)\n-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n"
            _ = try await connection.send(TrustAddRequest(name: "dev", pem: pem))
            #expect(try await connection.send(TrustListRequest()).names == ["dev"])
            let kept = try harness.scratch.tree("s/trust")
            #expect(kept == ["dev.pem"])
            _ = try await connection.send(TrustRemoveRequest(name: "dev"))
            #expect(try await connection.send(TrustListRequest()).names == [])
            await #expect(throws: DeviceError.self) { try await connection.send(TrustRemoveRequest(name: "dev")) }
        }
    }

    @Test(arguments: ["", "../x", ".x", "a/b", "a b", String(repeating: "a", count: 101)])
    func namesOfAuthoritiesAreFileNames(_ name: String) async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            await #expect(throws: DeviceError.self) {
                try await connection.send(TrustAddRequest(name: name, pem: Self.certificate))
            }
            await #expect(throws: DeviceError.self) {
                try await connection.send(TrustAddRequest(name: "good", pem: "no certificate"))
            }
        }
    }

    @Test(arguments: [
        "localhost:8443", "https://a/path", "http://example.com", "ftp://localhost", "https://", "https://user@a",
    ])
    func theOverrideIsAnOrigin(_ url: String) async throws {
        try await ServiceHarness.with { harness in
            let connection = try await harness.connect()
            let error = await #expect(throws: DeviceError.self) {
                try await connection.send(URLOverrideSetRequest(url: url))
            }
            #expect(error?.code == .badSetting)
        }
    }

    @Test func settingsOutliveARestart() async throws {
        try await ServiceHarness.with { harness in
            _ = try await harness.connect().send(URLOverrideSetRequest(url: "https://localhost:8443/"))
            await harness.stop()
            try await harness.start()
            let connection = try await harness.connect()
            #expect(try await connection.send(URLOverrideGetRequest()).url == "https://localhost:8443")
            let findings = try await connection.send(DoctorRequest()).findings
            #expect(findings.contains { $0.subject == "url-override" && $0.severity == "warning" })
            _ = try await connection.send(URLOverrideClearRequest())
            #expect(try await connection.send(URLOverrideGetRequest()).url == nil)
        }
    }
}
