// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// What lets devices into a beta channel of an app. The host keeps a digest; whoever was given the token has the only copy.
struct ChannelToken: Sendable {
    let id: String
    let app: String
    let channel: Channel
    let name: String
    let createdDate: String
    var revokedDate: String?

    /// A new token as devices send it: nobody guesses it.
    static func newSecret() -> String { "larder_" + Base64URL.encode(Identifier.secret()) }

    static func digest(of secret: String) -> String { SHA256.hash(Array(secret.utf8)).hex }
}

/// Lets devices into channels: the App Store's is open to all, others want a token.
struct ChannelGate: Sendable {
    let database: any Database

    /// - Throws: `APIError` with status 401, whether or not there is such an app.
    func check(_ request: HTTPServerRequest, app bundleID: String, channel: Channel) async throws {
        guard channel != .appStore else { return }
        guard let secret = Self.secret(of: request) else { throw Self.refusal(channel) }
        let digest = ChannelToken.digest(of: secret)
        let isKnown = try await database.read { store in
            try store.first(
                """
                SELECT 1 FROM "channelTokens" JOIN "apps" ON "apps"."id" = "channelTokens"."app"
                WHERE "digest" = ? AND "bundleId" = ? AND "channel" = ? AND "revokedDate" IS NULL
                """, [.text(digest), .text(bundleID), .text(channel.rawValue)], { $0.bool(0) }) ?? false
        }
        guard isKnown else { throw Self.refusal(channel) }
    }

    /// In the header, or, for clients that only have an address, as the argument `token`.
    private static func secret(of request: HTTPServerRequest) -> String? {
        let fields = request.headers.values("Authorization")
        if fields.isEmpty { return request.query.first { $0.name == "token" }?.value }
        let words = fields[0].split(separator: " ", maxSplits: 1)
        guard fields.count == 1, words.count == 2, HTTPHeaders.same(words[0], "Bearer") else { return nil }
        return String(words[1])
    }

    private static func refusal(_ channel: Channel) -> APIError {
        .notAuthorized("The channel \(channel.rawValue) is for devices with a channel token of this app.")
    }
}

extension Connection {
    private static var tokenColumns: String { #""id", "app", "channel", "name", "createdDate", "revokedDate""# }

    /// - Throws: `DatabaseError`
    func insert(_ token: ChannelToken, secret: String) throws {
        try execute(
            #"INSERT INTO "channelTokens" (\#(Self.tokenColumns), "digest") VALUES (\#(SQL.places(7)))"#,
            [
                .text(token.id), .text(token.app), .text(token.channel.rawValue), .text(token.name),
                .text(token.createdDate), .text(orNull: token.revokedDate), .text(ChannelToken.digest(of: secret)),
            ])
    }

    /// All tokens, revoked ones too, oldest first.
    /// - Throws: `DatabaseError`
    func channelTokens() throws -> [ChannelToken] {
        try rows(#"SELECT \#(Self.tokenColumns) FROM "channelTokens" ORDER BY "createdDate", "id""#, []) { row in
            Channel(rawValue: row.text(2)).map {
                ChannelToken(
                    id: row.text(0), app: row.text(1), channel: $0, name: row.text(3), createdDate: row.text(4),
                    revokedDate: row.textIfPresent(5))
            }
        }.compactMap { $0 }
    }

    /// False when there is no such token, or it was revoked before.
    /// - Throws: `DatabaseError`
    func revokeChannelToken(_ id: String, at date: String) throws -> Bool {
        try execute(
            #"UPDATE "channelTokens" SET "revokedDate" = ? WHERE "id" = ? AND "revokedDate" IS NULL"#,
            [.text(date), .text(id)])
        return changes > 0
    }
}
