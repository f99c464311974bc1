// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
package import HostingModel
internal import Kit

extension HostAdministration {
    /// A channel token as the operator sees it.
    package struct Token: Sendable {
        package let id: String
        package let bundleID: String
        package let channel: Channel
        package let name: String
        package let createdDate: String
        package let revokedDate: String?
    }

    /// Makes a token that lets devices into a channel of an app.
    /// - Returns: the token's identifier, and the secret, which the host does not keep.
    /// - Throws: `HostingError` when there is no such app; `DatabaseError`
    package func createChannelToken(
        bundleID: String, channel: Channel, name: String
    ) async throws -> (id: String, secret: String) {
        let secret = ChannelToken.newSecret()
        let id = Identifier.random()
        try await database.write { store in
            guard let app = try store.records(.apps, where: ["bundleId": .text(bundleID)]).first else {
                throw HostingError(
                    .notFound, "There is no app \"\(bundleID)\". Make it first: larder-host app create \(bundleID)")
            }
            try store.insert(
                ChannelToken(
                    id: id, app: app.id, channel: channel, name: name, createdDate: Timestamp.now.formatted),
                secret: secret)
        }
        return (id, secret)
    }

    /// All tokens, oldest first.
    /// - Throws: `DatabaseError`
    package func channelTokens() async throws -> [Token] {
        try await database.read { store in
            let apps = try store.records(.apps, Set(store.channelTokens().map(\.app)))
            let names = Dictionary(apps.map { ($0.id, $0.text("bundleId") ?? "") }) { $1 }
            return try store.channelTokens().map {
                Token(
                    id: $0.id, bundleID: names[$0.app] ?? "", channel: $0.channel, name: $0.name,
                    createdDate: $0.createdDate, revokedDate: $0.revokedDate)
            }
        }
    }

    /// Lets no device in with that token any more.
    /// - Throws: `HostingError` when there is none to revoke; `DatabaseError`
    package func revokeChannelToken(_ id: String) async throws {
        guard try await database.write({ try $0.revokeChannelToken(id, at: Timestamp.now.formatted) }) else {
            throw HostingError(
                .notFound, "There is no channel token \"\(id)\" that could be revoked. See: larder-host channels list")
        }
    }
}
