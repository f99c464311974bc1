// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import HTTP
import HostingService
import Kit
import ObjectStorage
import System
import TestSupport
import Testing

/// Where the host of a test keeps archives and uploads.
enum TestStorage: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case folder
    /// A bucket of an S3 server that is not ours.
    case bucket

    var testDescription: String { rawValue }

    func begin(in scratch: Scratch, _ configuration: inout HostConfiguration) throws -> ObjectServer? {
        guard self == .bucket else { return nil }
        let server = try ObjectServer(in: scratch(""))
        configuration.storage = HostStorage(
            location: try S3Location(setting: server.setting(prefix: "live")),
            credentials: try S3CredentialSource(environment: server.credentials))
        return server
    }
}

extension Publisher {
    /// An exchange with somebody else than the host, whose certificate is trusted for it.
    func sendElsewhere(
        _ method: String, _ url: String, _ body: [UInt8]? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var configuration = HTTPClientConfiguration()
        configuration.trustedCertificates = authority.map { [$0] } ?? []
        var request = HTTPRequest(
            url: url, method: try #require(HTTPRequest.Method(rawValue: method)),
            headers: headers.sorted { $0.key < $1.key })
        request.takesEveryStatus = true
        request.body = body.map { HTTPRequestBody($0) }
        let (head, bytes) = try await HTTPClient(configuration).data(for: request, limit: 1 << 26)
        let fields = head.headers.fields.map { ($0.name.lowercased(), $0.value) }
        return Answer(status: head.status, headers: Dictionary(fields) { $1 }, body: bytes)
    }

    /// What a device gets at an address of the host, wherever that leads.
    func fetch(_ url: String, _ method: String = "GET", headers: [String: String] = [:]) async throws -> Answer {
        let answer = try await send(method, url, headers: headers, token: .some(nil))
        guard answer.status == 307, let location = answer.headers["location"] else { return answer }
        return try await sendElsewhere(method, location, headers: headers)
    }
}
