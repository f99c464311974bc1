// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import HostingModel
internal import Kit

/// Sends the parts of one file, several at once, each until it has arrived as it is.
final class PartSender: Sendable {
    /// Bytes that arrived or are on their way, for each part.
    private struct State {
        var sent: [Int: Int64] = [:]
        var digests: [Int: [UInt8]] = [:]
        /// Indices of operations that nobody has taken yet.
        var waiting: [Int] = []
        var operations: [UploadOperation] = []
    }

    private let client: HostingClient
    private let source: UploadSource
    /// The type of the file's resource.
    private let type: ResourceType
    private let parallel: Int
    private let onProgress: @Sendable (Int64) -> Void
    private let state = Locked(State())
    /// How often a part may arrive as something else.
    private static let damageLimit = 5

    init(
        _ client: HostingClient, _ source: UploadSource, _ type: ResourceType, parallel: Int,
        onProgress: @escaping @Sendable (Int64) -> Void
    ) {
        self.client = client
        self.source = source
        self.type = type
        self.parallel = parallel
        self.onProgress = onProgress
    }

    /// Sends every part that the host does not have.
    /// - Returns: the MD5 of all parts' MD5s.
    /// - Throws: `HostingClientError`, `HTTPClientError`, `CancellationError`
    func send(_ file: String) async throws -> [UInt8] {
        let operations = try await operations(of: file)
        state.withLock { state in
            state = State(waiting: Array(operations.indices.reversed()), operations: operations)
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<min(parallel, operations.count) {
                group.addTask {
                    while let index = self.state.withLock({ $0.waiting.popLast() }) { try await self.send(index, file) }
                }
            }
            try await group.waitForAll()
        }
        let digests = state.withLock { state in operations.indices.flatMap { state.digests[$0] ?? [] } }
        return MD5.hash(digests)
    }

    /// Sends what is missing, and says that all is there. A host that misses parts all the same is sent them again.
    /// - Throws: as `send`
    func finish(_ file: String) async throws {
        for attempt in 1... {
            let composite = try await send(file)
            do {
                _ = try await client.change(
                    type, file,
                    [
                        "uploaded": true,
                        "sourceFileChecksums": [
                            "composite": ["hash": .string(Hexadecimal.encode(composite)), "algorithm": "MD5"]
                        ],
                    ])
                return
            } catch let error as HostingClientError where error.apiCode == "STATE_ERROR.UPLOAD_INCOMPLETE" {
                if attempt == 3 { throw error }
            } catch let error as HostingClientError where error.apiCode == "STATE_ERROR.UPLOAD_FINISHED" {
                // The answer to an earlier attempt was lost on its way.
                return
            }
        }
    }

    private func operations(of file: String) async throws -> [UploadOperation] {
        let data = try await client.resource(type, file)
        return try UploadOperation.all(of: data, fileSize: source.size)
    }

    private func send(_ index: Int, _ file: String) async throws {
        var retries = Retries()
        var damaged = 0
        var isRenewed = false
        while true {
            let operation = state.withLock { $0.operations[index] }
            let wait: Duration?
            let failure: any Error
            do {
                if try await attempt(operation, index) { return }
                damaged += 1
                wait = damaged < Self.damageLimit ? .zero : nil
                failure = HostingClientError(
                    .host,
                    "Part \(operation.partNumber) arrives at the host as something else each time: the network damages it, "
                        + "or the archive is being changed.")
            } catch let error as HTTPClientError {
                wait =
                    error.isTransient
                    ? retries.next(client.patience, wish: error.retryAfter, isUnreachable: error.isUnreachable) : nil
                failure = error
            } catch let error as HostingClientError
                where [400, 403, 404].contains(error.status) && !isRenewed
            {
                // The address was good for a while only, or what it led to is gone.
                isRenewed = true
                try await renewAddresses(file)
                wait = .zero
                failure = error
            }
            note(index, 0)
            guard let wait else { throw failure }
            try await Task.sleep(for: wait)
        }
    }

    private func renewAddresses(_ file: String) async throws {
        let fresh = try await operations(of: file)
        state.withLock { state in
            if fresh.count == state.operations.count { state.operations = fresh }
        }
    }

    /// Whether the part has arrived as it is.
    private func attempt(_ operation: UploadOperation, _ index: Int) async throws -> Bool {
        let source = source
        if let tag = operation.entityTag {
            let digest = try await offload { try source.md5(operation) }
            guard Hexadecimal.encode(digest) != Self.plain(tag) else {
                finish(operation, index, digest)
                return true
            }
        }
        async let digest = offload { try source.md5(operation) }
        let tag = try await put(operation, index)
        let own = try await digest
        // A store that says something else than an MD5 is believed; the checksum of all parts is compared at the end.
        if let tag, tag.utf8.count == 2 * MD5.byteCount, tag != Hexadecimal.encode(own) { return false }
        finish(operation, index, own)
        return true
    }

    /// The entity tag of what arrived.
    private func put(_ operation: UploadOperation, _ index: Int) async throws -> String? {
        var request = HTTPRequest(
            url: operation.url, method: HTTPRequest.Method(rawValue: operation.method) ?? .put,
            headers: operation.headers.sorted { $0.key < $1.key })
        request.takesEveryStatus = true
        request.body = source.body(operation)
        request.body?.onProgress = { [weak self] in self?.note(index, $0) }
        let (head, body) = try await client.http.data(for: request, limit: 1 << 20)
        switch head.status {
        case 200..<300: return head.etag.map { Self.plain($0) }
        // A store that cannot do something will not be able to later.
        case 408, 425, 429, 500, 502...504, 506...599:
            throw HTTPClientError(
                .status, "The host did not take part \(operation.partNumber) (status \(head.status)).",
                status: [408, 425, 429, 502, 503, 504].contains(head.status) ? head.status : 503,
                retryAfter: head.headers["Retry-After"].flatMap { Int64($0) }.map { .seconds($0) })
        default:
            throw HostingClientError(status: head.status, body: body, "PUT of part \(operation.partNumber)")
        }
    }

    private static func plain(_ tag: String) -> String { tag.filter { $0 != "\"" }.lowercased() }

    private func finish(_ operation: UploadOperation, _ index: Int, _ digest: [UInt8]) {
        state.withLock { $0.digests[index] = digest }
        note(index, operation.length)
    }

    private func note(_ index: Int, _ sent: Int64) {
        let total = state.withLock { state in
            state.sent[index] = sent
            return state.sent.values.reduce(0, +)
        }
        onProgress(total)
    }
}
