// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import Kit

/// What devices were answered with, for as long as nothing in the database has changed: most ask for what others have asked
/// for before. What an answer depends on besides the database and the time is all in the key.
final class DeviceDocuments: Sendable {
    private struct Key: Hashable {
        let path: String
        /// Names and values: a device's number, its app's version.
        let arguments: [String]
        let credentials: [String]

        init(path: String, query: [(name: String, value: String)], headers: HTTPHeaders) {
            self.path = path
            arguments = query.flatMap { [$0.name, $0.value] }
            credentials = headers.values("Authorization")
        }

        /// Bytes that it takes, more or less.
        var size: Int64 { ([path] + arguments + credentials).reduce(512) { $0 + Int64($1.utf8.count) } }
    }

    /// An answer with the status 200 and an entity tag.
    struct Document {
        let response: HTTPServerResponse
        /// In seconds since 1970, when it would be another although nothing has changed; nil for never.
        let goodUntil: Int64?
    }

    private struct State {
        /// Of the database to which all documents belong.
        var version: Int64?
        var documents: [Key: Document] = [:]
        /// By their entity tags: devices that ask for different things are often answered the same, and that is kept once.
        var distinct: [String: HTTPServerResponse] = [:]
        var bytes: Int64 = 0
    }

    /// Bytes of all documents, after which they are let go of.
    private static let limit: Int64 = 16 << 20

    private let changes: any DatabaseChanges
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64
    private let state = Locked(State())

    init(_ changes: any DatabaseChanges, now: @escaping @Sendable () -> Int64) {
        self.changes = changes
        self.now = now
    }

    /// The answer to a request that was answered before. Does not wait.
    func answer(to head: HTTPRequestHead) -> HTTPServerResponse? {
        guard let version = changes.version else { return nil }
        let key = Key(path: head.path, query: head.query, headers: head.headers)
        let document = state.withLock { state -> Document? in
            guard state.version == version else {
                state = State(version: version)
                return nil
            }
            return state.documents[key]
        }
        guard let document, document.goodUntil.map({ now() < $0 }) ?? true else { return nil }
        return Self.conditional(document.response, head)
    }

    /// Answers with a document that `make` makes, and keeps it.
    func answer(
        to request: HTTPServerRequest, _ make: () async throws -> Document
    ) async throws -> HTTPServerResponse {
        // Before anything is read: what changes from now on makes another number.
        let version = changes.version
        let document = try await make()
        if let version {
            keep(document, Key(path: request.path, query: request.query, headers: request.headers), version)
        }
        return Self.conditional(document.response, request)
    }

    private func keep(_ document: Document, _ key: Key, _ version: Int64) {
        // With what is told to caches, which is no part of the tag.
        let response = document.response
        let tag = response.headers.fields.map(\.value).joined(separator: "\n")
        state.withLock { state in
            // Somebody has seen a newer database, or an older one; who comes next knows.
            guard state.version == version || state.documents.isEmpty else { return }
            if state.version != version || state.bytes > Self.limit { state = State(version: version) }
            let known = state.distinct[tag]
            let kept = Document(response: known ?? response, goodUntil: document.goodUntil)
            guard state.documents.updateValue(kept, forKey: key) == nil else { return }
            state.bytes += key.size
            guard known == nil else { return }
            state.distinct[tag] = response
            state.bytes += response.body.reduce(Int64(tag.utf8.count)) { $0 + $1.count }
        }
    }

    /// The document, or 304 when the device has it.
    private static func conditional(
        _ document: HTTPServerResponse, _ request: some ConditionalRequest
    ) -> HTTPServerResponse {
        guard let known = request.field("If-None-Match"), let etag = document.headers["ETag"],
            EntityTags(known).contains(weak: etag)
        else { return document }
        var response = HTTPServerResponse(status: 304, headers: document.headers)
        response.headers["Content-Type"] = nil
        return response
    }
}
