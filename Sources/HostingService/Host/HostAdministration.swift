// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
package import HostingModel
internal import Kit
internal import System

/// What an operator does with a host's data, whether the host runs or not.
package struct HostAdministration: Sendable {
    let database: any Database

    /// A key as the operator sees it.
    package struct Key: Sendable {
        package let id: String
        package let name: String
        package let role: Role
        /// Bundle identifiers; nil for all apps.
        package let apps: [String]?
        package let createdDate: String
        package let revokedDate: String?
    }

    package struct App: Sendable {
        package let id: String
        package let bundleID: String
        package let name: String
    }

    /// Opens the database, making the data folder if need be.
    /// - Throws: `HostingError`, `DatabaseError`
    package init(_ configuration: HostConfiguration) async throws {
        database = try await configuration.openDatabase()
    }

    package func close() async { await database.close() }

    /// Who issues tokens for this host: `iss` in each of them.
    /// - Throws: `DatabaseError`
    package func issuer() async throws -> String { try await database.write { try $0.issuer() } }

    // MARK: Keys

    /// Makes a key.
    /// - Parameter apps: bundle identifiers; nil for all apps.
    /// - Returns: the key and its private half as PEM text, which the host does not keep.
    /// - Throws: `HostingError` when there is no such app; `DatabaseError`, `CryptoError`
    package func createKey(name: String, role: Role, apps: [String]?) async throws -> (key: Key, privateKey: [UInt8]) {
        let signing = try SigningKey()
        let publicKey = try signing.publicPEM()
        let key = try await database.write { store in
            let ids = try apps?.map { bundleID in
                guard let app = try store.records(.apps, where: ["bundleId": .text(bundleID)]).first else {
                    throw HostingError(
                        .notFound,
                        "There is no app \"\(bundleID)\". Make it first: larder-host app create \(bundleID)")
                }
                return app.id
            }
            let key = AccessKey(
                id: AccessKey.newID(), name: name, role: role, publicKey: publicKey, apps: ids.map { Set($0) },
                createdDate: Timestamp.now.formatted)
            try store.insert(key)
            return key
        }
        let shown = Key(
            id: key.id, name: name, role: role, apps: apps, createdDate: key.createdDate, revokedDate: nil)
        return (shown, try signing.pem())
    }

    /// All keys, oldest first.
    /// - Throws: `DatabaseError`
    package func keys() async throws -> [Key] {
        try await database.read { store in
            try store.keys().map { key in
                let apps = try key.apps.map { try store.records(.apps, $0.sorted()).compactMap { $0.text("bundleId") } }
                return Key(
                    id: key.id, name: key.name, role: key.role, apps: apps?.sorted(), createdDate: key.createdDate,
                    revokedDate: key.revokedDate)
            }
        }
    }

    /// Makes a key useless from now on.
    /// - Throws: `HostingError` when there is none to revoke; `DatabaseError`
    package func revokeKey(_ id: String) async throws {
        guard try await database.write({ try $0.revokeKey(id, at: Timestamp.now.formatted) }) else {
            throw HostingError(.notFound, "There is no key \"\(id)\" that could be revoked. See: larder-host keys list")
        }
    }

    // MARK: Apps

    /// - Throws: `HostingError` when there is such an app already, or its identifier is none; `DatabaseError`
    package func createApp(bundleID: String, name: String?, locale: String?, sku: String?) async throws -> App {
        guard AppIdentifier.isIdentifier(bundleID) else {
            throw HostingError(.badArguments, AppIdentifier.refusal(of: bundleID))
        }
        return try await database.write { store in
            guard try store.records(.apps, where: ["bundleId": .text(bundleID)]).isEmpty else {
                throw HostingError(.exists, "There is an app \"\(bundleID)\" already.")
            }
            // A number, as App Store Connect's.
            let id = "\(UInt64.random(in: 1_000_000_000...9_999_999_999))"
            let app = ResourceRecord(
                .apps, id: id, app: id,
                values: [
                    "bundleId": .string(bundleID), "name": .string(name ?? bundleID), "sku": .string(sku ?? bundleID),
                    "primaryLocale": .string(locale ?? "en-US"), "isOrEverWasMadeForKids": false,
                    "contentRightsDeclaration": "DOES_NOT_USE_THIRD_PARTY_CONTENT",
                ])
            try store.insert(app)
            return App(id: id, bundleID: bundleID, name: name ?? bundleID)
        }
    }

    /// By bundle identifier.
    /// - Throws: `DatabaseError`
    package func apps() async throws -> [App] {
        try await database.read { store in
            var query = ResourceQuery(.apps, limit: Int(Int32.max))
            query.orders = [.init("bundleId")]
            return try store.page(query).records.map {
                App(id: $0.id, bundleID: $0.text("bundleId") ?? "", name: $0.text("name") ?? "")
            }
        }
    }
}
