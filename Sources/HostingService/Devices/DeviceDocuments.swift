// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import Kit

/// What devices were answered with, for as long as nothing in the database has changed: most ask for what others have asked
/// for before. What an answer depends on besides the database is all in the key.
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

    private struct State {
        /// Of the database to which all documents belong.
        var version: Int64?
        var documents: [Key: HTTPServerResponse] = [:]
        /// By their entity tags: devices that ask for different things are often answered the same, and that is kept once.
        var distinct: [String: HTTPServerResponse] = [:]
        var bytes: Int64 = 0
    }

    /// Bytes of all documents, after which they are let go of.
    private static let limit: Int64 = 16 << 20

    /// nil where changes are not told: then every answer is made anew.
    private let changes: SQLiteChanges?
    private let state = Locked(State())

    init(_ changes: SQLiteChanges?) { self.changes = changes }

    /// The answer to a request that was answered before. Does not wait.
    func answer(to head: HTTPRequestHead) -> HTTPServerResponse? {
        guard let version = changes?.version else { return nil }
        let key = Key(path: head.path, query: head.query, headers: head.headers)
        let document = state.withLock { state -> HTTPServerResponse? in
            guard state.version == version else {
                state = State(version: version)
                return nil
            }
            return state.documents[key]
        }
        return document.map { Self.conditional($0, head) }
    }

    /// Answers with a document that `make` makes, an answer with the status 200 and an entity tag, and keeps it.
    func answer(
        to request: HTTPServerRequest, _ make: () async throws -> HTTPServerResponse
    ) async throws -> HTTPServerResponse {
        // Before anything is read: what changes from now on makes another number.
        let version = changes?.version
        let document = try await make()
        if let version {
            keep(document, Key(path: request.path, query: request.query, headers: request.headers), version)
        }
        return Self.conditional(document, request)
    }

    private func keep(_ document: HTTPServerResponse, _ key: Key, _ version: Int64) {
        // With what is told to caches, which is no part of the tag.
        let tag = document.headers.fields.map(\.value).joined(separator: "\n")
        state.withLock { state in
            // Somebody has seen a newer database, or an older one; who comes next knows.
            guard state.version == version || state.documents.isEmpty else { return }
            if state.version != version || state.bytes > Self.limit { state = State(version: version) }
            let known = state.distinct[tag]
            guard state.documents.updateValue(known ?? document, forKey: key) == nil else { return }
            state.bytes += key.size
            guard known == nil else { return }
            state.distinct[tag] = document
            state.bytes += document.body.reduce(Int64(tag.utf8.count)) { $0 + $1.count }
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
