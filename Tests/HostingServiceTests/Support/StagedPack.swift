// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import HostingModel
import HostingService
import Kit
import Testing

/// A pack among internal testers, for tests of who gets which version.
struct StagedPack {
    let fixture: HostFixture
    let pack: String
    let token: String

    init(_ fixture: HostFixture) async throws {
        self.fixture = fixture
        pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
        token = try await fixture.channelToken(.internalBeta)
    }

    /// A new version that has not been uploaded yet.
    func announce() async throws -> String { try await fixture.publisher.version(of: pack) }

    /// Uploads an announced version; it is live when this returns.
    func upload(_ version: String, _ content: UInt8) async throws {
        let bytes = try fixture.archive(content: [content])
        let file = try await fixture.publisher.reserve(version, size: bytes.count)
        try await fixture.publisher.put(bytes, to: file)
        _ = try await fixture.publisher.commit(try #require(file["id"]?.stringValue))
        let state = try await fixture.publisher.processed(version)["attributes"]?["state"]
        try #require(state == "COMPLETE")
    }

    /// A new version that is live.
    @discardableResult
    func publish(_ content: UInt8) async throws -> String {
        let version = try await announce()
        try await upload(version, content)
        return version
    }

    func start(
        _ version: String, _ attributes: [String: JSONValue], channel: Channel = .internalBeta
    ) async throws -> Publisher.Answer {
        var all = attributes
        all["channel"] = .string(channel.rawValue)
        return try await fixture.publisher.send(
            "POST", "/v1/\(ResourceType.rollouts)",
            Publisher.document(.rollouts, all, ["backgroundAssetVersion": (.backgroundAssetVersions, version)]))
    }

    /// A rollout's identifier.
    func rollout(_ version: String, _ attributes: [String: JSONValue]) async throws -> String {
        let answer = try await start(version, attributes)
        try #require(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
        return try #require(try answer.json["data"]?["id"]?.stringValue)
    }

    @discardableResult
    func change(_ rollout: String, _ attributes: [String: JSONValue]) async throws -> Publisher.Answer {
        try await fixture.publisher.send(
            "PATCH", "/v1/\(ResourceType.rollouts)/\(rollout)",
            Publisher.document(.rollouts, id: rollout, attributes))
    }

    func attributes(_ rollout: String) async throws -> JSONValue {
        let answer = try await fixture.publisher.send("GET", "/v1/\(ResourceType.rollouts)/\(rollout)")
        return try #require(try answer.json["data"]?["attributes"])
    }

    // MARK: Devices

    /// A device's identifier, as devices make them up.
    static func device(_ number: Int) -> String { "device-\(number)-0123456789abcdef" }

    func ask(_ query: String, headers: [String: String] = [:]) async throws -> Publisher.Answer {
        try await fixture.publisher.send(
            "GET", "/devices/\(HostFixture.bundleID)/internalBeta/manifest?platform=Linux\(query)", headers: headers,
            token: .some(token))
    }

    /// The version of the pack that is offered; nil for none.
    func offered(_ query: String) async throws -> Int? {
        let answer = try await ask(query)
        try #require(answer.status == 200)
        return try DownloadManifest.decode(answer.body, source: "host", allowingPlainLoopback: true)["Coast"]?.version
    }

    /// Which of these devices are offered the version.
    func devices(_ numbers: Range<Int>, with version: Int, _ query: String = "") async throws -> Set<Int> {
        var found: Set<Int> = []
        for number in numbers where try await offered("&device=\(Self.device(number))\(query)") == version {
            found.insert(number)
        }
        return found
    }

    func report(
        _ device: String, _ rollout: String, failed: Bool, headers: [String: String] = [:],
        channel: String =
            "internalBeta", app: String = HostFixture.bundleID
    ) async throws -> Publisher.Answer {
        let body: JSONValue = [
            "device": .string(device), "rollout": .string(rollout), "outcome": failed ? "FAILED" : "SUCCEEDED",
        ]
        return try await fixture.publisher.send(
            "POST", "/devices/\(app)/\(channel)/reports", Array(body.serialized().utf8), headers: headers,
            token: .some(token))
    }
}
