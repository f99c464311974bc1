// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Finds out who sends a request, by its bearer token.
struct Authenticator: Sendable {
    let database: any Database
    /// Seconds since 1970.
    let now: @Sendable () -> Int64

    /// - Throws: `APIError` with status 401; `DatabaseError`
    func caller(of request: HTTPServerRequest) async throws -> Caller {
        let fields = request.headers.values("Authorization")
        guard fields.count == 1, let field = fields.first else {
            throw APIError.notAuthorized("The request needs one header 'Authorization: Bearer <token>'.")
        }
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, HTTPHeaders.same(words[0], "Bearer") else {
            throw APIError.notAuthorized("The header 'Authorization' must be 'Bearer <token>'.")
        }
        do {
            let token = try BearerToken(String(words[1]))
            let (key, issuer) = try await database.read { store in
                (try store.key(token.keyID), try store.first(Self.issuerStatement, [], { $0.text(0) }))
            }
            // One answer for all that is wrong with key and signature: nobody is told which keys there are.
            guard let key, key.revokedDate == nil, let issuer,
                (try? VerifyingKey(pem: key.publicKey))?.verifies(token.signature, of: token.signedText) == true
            else { throw APIError.notAuthorized("The token was not signed by a key of this host.") }
            try token.check(issuer: issuer, now: now())
            guard token.covers(method: request.method, path: request.path) else {
                throw APIError.notAuthorized("The token's scopes do not cover this request.")
            }
            return Caller(keyID: key.id, role: key.role, apps: key.apps)
        } catch let refusal as BearerToken.Refusal {
            throw APIError.notAuthorized(refusal.description)
        }
    }

    private static let issuerStatement = #"SELECT "value" FROM "settings" WHERE "name" = 'issuer'"#
}
