// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import HTTP
import HTTPSupport
import Kit
import System
import Testing

/// Which cipher a connection has when the server leaves the choice to the client, as nginx does.
@Suite(.timeLimit(.minutes(5))) struct TLSCipherTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        var version: String
        /// Somebody answers challenges.
        var isWatched: Bool
        var testDescription: String { version + (isWatched ? ", watched" : "") }
    }

    @Test(arguments: [
        Case(version: "TLSv1.2", isWatched: false), Case(version: "TLSv1.2", isWatched: true),
        Case(version: "TLSv1.3", isWatched: false), Case(version: "TLSv1.3", isWatched: true),
    ])
    private func theCheapestOneIsOfferedFirst(_ test: Case) async throws {
        let server = try IndependentServer(
            files: ["file": pattern(100)], locations: "ssl_protocols \(test.version);")
        var request = HTTPRequest(url: server.url + "/file")
        if test.isWatched { request.authentication = HTTPAuthentication() }
        #expect(try await server.client().start(request).readAll() == pattern(100))
        let ciphers = try server.answers().map(\.cipher)
        #expect(ciphers == [try cheapest(test.version)])
    }

    private func cheapest(_ version: String) throws -> String {
        let features = String(decoding: try File.read("/proc/cpuinfo", limit: 1 << 20), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        let hasInstructions = features.contains("aes") && features.contains { $0 == "pclmulqdq" || $0 == "pmull" }
        return switch (version, hasInstructions) {
        case ("TLSv1.3", true): "TLS_AES_128_GCM_SHA256"
        case ("TLSv1.3", false): "TLS_CHACHA20_POLY1305_SHA256"
        case (_, true): "ECDHE-ECDSA-AES128-GCM-SHA256"
        case (_, false): "ECDHE-ECDSA-CHACHA20-POLY1305"
        }
    }
}
