// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import HostingModel
import Kit
import System
import TestSupport
import Testing

/// Talks to a host as a publisher does, over a socket, and remembers nothing.
struct Publisher: Sendable {
    let url: String
    var signer: TokenSigner
    /// The certificate of a store that the host sends people to.
    var authority: FilePath?

    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        var json: JSONValue { get throws { try JSONParser.parse(body).value } }
        /// The code of the first error.
        var code: String? { (try? json)?["errors"]?.arrayValue?.first?["code"]?.stringValue }
    }

    /// One exchange on a connection of its own.
    func send(
        _ method: String, _ path: String, _ body: [UInt8]? = nil, headers: [String: String] = [:],
        token: String?? = .none
    ) async throws -> Answer {
        var fields = headers
        if let given = try token ?? .some(signer.token()) {
            fields["Authorization"] = fields["Authorization"] ?? "Bearer \(given)"
        }
        let target = path.hasPrefix("http") ? String(path.dropFirst(url.count)) : path
        return try await RawExchange.send(method, target, to: url, headers: fields, body: body)
    }

    func send(_ method: String, _ path: String, _ body: JSONValue) async throws -> Answer {
        try await send(method, path, Array(body.serialized().utf8))
    }

    // MARK: What publishers do

    static func document(
        _ type: ResourceType, id: String? = nil, _ attributes: [String: JSONValue] = [:],
        _ links: [String: (ResourceType, String)] = [:]
    ) -> JSONValue {
        var data: [String: JSONValue] = ["type": .string(type.name), "attributes": .object(attributes)]
        data["id"] = id.map { .string($0) }
        data["relationships"] = .object(
            links.mapValues { ["data": ["type": .string($0.0.name), "id": .string($0.1)]] })
        return ["data": .object(data)]
    }

    /// Makes a resource; its document's `data`.
    func create(
        _ type: ResourceType, _ attributes: [String: JSONValue] = [:], _ links: [String: (ResourceType, String)] = [:]
    ) async throws -> JSONValue {
        let answer = try await send("POST", "/v1/\(type)", Self.document(type, attributes, links))
        try #require(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
        return try #require(try answer.json["data"])
    }

    func pack(_ identifier: String, app: String) async throws -> String {
        try #require(
            try await create(.backgroundAssets, ["assetPackIdentifier": .string(identifier)], ["app": (.apps, app)])[
                "id"]?
                .stringValue)
    }

    func version(of pack: String) async throws -> String {
        try #require(
            try await create(.backgroundAssetVersions, [:], ["backgroundAsset": (.backgroundAssets, pack)])["id"]?
                .stringValue)
    }

    /// Reserves a file; its document's `data`.
    func reserve(_ version: String, size: Int, name: String = "Coast.aar", type: String = "ASSET") async throws
        -> JSONValue
    {
        try await create(
            .backgroundAssetUploadFiles,
            ["assetType": .string(type), "fileName": .string(name), "fileSize": .integer(Int64(size))],
            ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
    }

    /// Sends all parts of a reserved file, last first.
    func put(_ bytes: [UInt8], to file: JSONValue) async throws {
        for operation in (file["attributes"]?["uploadOperations"]?.arrayValue ?? []).reversed() {
            let answer = try await put(bytes, operation)
            try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    func put(_ bytes: [UInt8], _ operation: JSONValue) async throws -> Answer {
        let offset = Int(try #require(operation["offset"]?.integerValue))
        let length = Int(try #require(operation["length"]?.integerValue))
        let target = try #require(operation["url"]?.stringValue)
        let part = Array(bytes[offset..<offset + length])
        guard target.hasPrefix(url + "/") else { return try await sendElsewhere("PUT", target, part) }
        return try await send("PUT", target, part, token: .some(nil))
    }

    func commit(_ file: String, _ attributes: [String: JSONValue] = [:]) async throws -> Answer {
        var all = attributes
        all["uploaded"] = true
        return try await send(
            "PATCH", "/v1/backgroundAssetUploadFiles/\(file)", Self.document(.backgroundAssetUploadFiles, id: file, all)
        )
    }

    /// Uploads an archive as a new version of a pack, and waits until it was processed; the version's document's `data`.
    func publish(_ bytes: [UInt8], to pack: String, _ attributes: [String: JSONValue] = [:]) async throws -> JSONValue {
        let version = try await version(of: pack)
        let file = try await reserve(version, size: bytes.count)
        try await put(bytes, to: file)
        let answer = try await commit(try #require(file["id"]?.stringValue), attributes)
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try await processed(version)
    }

    /// Asks again and again until the version is complete or failed; its document's `data`.
    func processed(_ version: String) async throws -> JSONValue {
        try await eventually {
            let data = try #require(try await send("GET", "/v1/backgroundAssetVersions/\(version)").json["data"])
            // `nil` alone would be JSON's null.
            return data["attributes"]?["state"] == "PROCESSING" ? Optional.none : data
        }
    }
}
