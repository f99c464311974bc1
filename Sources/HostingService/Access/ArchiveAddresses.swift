// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// The addresses that archives are fetched from: for ever good, or, when the operator wants it, signed and good for a while.
final class ArchiveAddresses: Sendable {
    /// How long keys are used before they are looked at again, in seconds, and how soon for one that is not known.
    private static let freshness: Int64 = 5
    private static let leastFreshness: Int64 = 1

    private let database: any Database
    /// Seconds; nil for addresses that are not signed.
    private let lifetime: Int64?
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64
    private let known = Locked<(keys: ArchiveKeys, readAt: Int64)?>(nil)

    init(database: any Database, lifetime: Int64?, now: @escaping @Sendable () -> Int64) {
        self.database = database
        self.lifetime = lifetime.map { max(2, $0) }
        self.now = now
    }

    /// What makes addresses at this moment.
    /// - Parameter base: the host's address, without a slash at its end.
    /// - Throws: `DatabaseError`
    func signer(base: String) async throws -> ArchiveSigner {
        guard let lifetime else { return ArchiveSigner(base: base) }
        let known = try await keys()
        return ArchiveSigner(
            base: base, key: known.keys.current, now: now(), lifetime: lifetime,
            goodUntil: known.readAt &+ Self.freshness)
    }

    /// Lets a request to an archive through, whatever part of it is wanted.
    /// - Returns: how many seconds the address is good for; nil for one that is for ever.
    /// - Throws: `APIError` with status 403; `DatabaseError`
    func check(_ request: HTTPServerRequest, for digest: Digest) async throws -> Int64? {
        guard lifetime != nil else { return nil }
        func argument(_ name: String) -> String { request.query.first { $0.name == name }?.value ?? "" }
        guard let expiry = Int64(argument("expires")), let given = Base64URL.decode(argument("signature")) else {
            throw APIError.forbidden("Archives are fetched from the signed addresses in a manifest.")
        }
        let id = argument("key")
        var key = try await keys().keys[id]
        if key == nil { key = try await keys(freshness: Self.leastFreshness).keys[id] }
        guard let key, MessageAuthentication.areEqual(given, ArchiveSigner.signature(of: digest.hex, expiry, key))
        else {
            throw APIError.forbidden("This address was not given out here.")
        }
        let rest = expiry.subtractingReportingOverflow(now())
        guard !rest.overflow, rest.partialValue > 0 else {
            throw APIError(
                403, "FORBIDDEN_ERROR.ADDRESS_EXPIRED", "The address has expired.",
                "Fetch the manifest again for a new one; what is here of the archive is still good.")
        }
        return rest.partialValue
    }

    /// The keys, as old as may be: another host, or a command, may have changed them.
    private func keys(freshness: Int64 = freshness) async throws -> (keys: ArchiveKeys, readAt: Int64) {
        let now = now()
        if let known = known.withLock({ $0 }), (0..<freshness).contains(now - known.readAt) { return known }
        var keys = try await database.read { try $0.archiveKeys() }
        if keys?.current == nil { keys = try await database.write { try $0.preparedArchiveKeys() } }
        let read = (keys: keys ?? .new(), readAt: now)
        known.withLock { $0 = read }
        return read
    }
}

/// Makes the addresses of archives, as they are at one moment.
struct ArchiveSigner: Sendable {
    let base: String
    private let signing: (key: ArchiveKeys.Key, expiry: Int64)?
    /// In seconds since 1970, when addresses are to be made by another one; nil for those that are the same for ever.
    let goodUntil: Int64?

    /// For addresses that are not signed.
    init(base: String) {
        self.base = base
        signing = nil
        goodUntil = nil
    }

    /// - Parameters:
    ///   - now: in seconds since 1970, as is `goodUntil`, which says how long the key is believed to be the one that signs.
    ///   - lifetime: in seconds.
    init(base: String, key: ArchiveKeys.Key?, now: Int64, lifetime: Int64, goodUntil: Int64) {
        self.base = base
        let half = max(1, lifetime / 2)
        // Between half and all of the lifetime from now: within each half all addresses are the same, so that manifests change no
        // more often.
        let begun = now / half * half
        signing = key.map { ($0, begun &+ lifetime) }
        self.goodUntil = min(begun &+ half, goodUntil)
    }

    func url(of digest: String) -> String {
        let plain = "\(base)/archives/\(digest)"
        guard let (key, expiry) = signing else { return plain }
        let signature = Base64URL.encode(Self.signature(of: digest, expiry, key))
        return "\(plain)?expires=\(expiry)&key=\(key.id)&signature=\(signature)"
    }

    static func signature(of digest: String, _ expiry: Int64, _ key: ArchiveKeys.Key) -> [UInt8] {
        MessageAuthentication.hmacSHA256("archive\n\(digest)\n\(expiry)".utf8, key: key.secret).bytes
    }
}
