// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

@testable import ObjectStorage

/// Against a store that is not ours.
@Suite(.timeLimit(.minutes(5))) struct S3ClientTests {
    private static let impatient = RetryPolicy(
        first: .milliseconds(10), longest: .milliseconds(50), patience: .seconds(2))

    private func withStore(
        prefix: String = "", _ body: (ObjectServer, S3Client, Scratch) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let server = try ObjectServer(in: scratch(""))
            try await body(server, Self.client(server, server.setting(prefix: prefix)), scratch)
            server.stop()
        }
    }

    private static func client(
        _ server: ObjectServer, _ setting: String, secret: String = ObjectServer.secretKey,
        clock: @escaping @Sendable () -> Timestamp = { .now }
    ) throws -> S3Client {
        S3Client(
            try S3Location(setting: setting),
            credentials: S3CredentialSource(S3Credentials(accessKey: ObjectServer.accessKey, secretKey: secret)),
            policy: impatient,
            clock: clock)
    }

    /// A plain client that trusts the store.
    private func http(_ server: ObjectServer) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.trustedCertificates = [server.authorityFile]
        return HTTPClient(configuration)
    }

    private func send(
        _ method: HTTPRequest.Method, _ url: String, _ body: [UInt8]? = nil, to server: ObjectServer
    ) async throws -> (HTTPResponse, [UInt8]) {
        var request = HTTPRequest(url: url, method: method)
        request.takesEveryStatus = true
        request.body = body.map { HTTPRequestBody($0) }
        return try await http(server).data(for: request, limit: 1 << 24)
    }

    /// A store that puts parts together, or copies, says nothing for as long as that takes.
    @Test func theStoreMayThinkForLong() async throws {
        try await withStore { _, client, _ in
            func silence(_ purpose: String, _ silence: Duration?) -> Duration? {
                client.signed(S3Client.Call(method: .post, key: "a", silence: silence, purpose: purpose)).stallTimeout
            }
            #expect(silence("be read", nil) == nil)
            #expect(silence("be completed", S3Client.work) == .seconds(900))
        }
    }

    private func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    @Test func objectsAreWrittenReadListedCopiedAndDeleted() async throws {
        try await withStore(prefix: "live/one") { server, client, _ in
            let content = bytes(100_000)
            try await client.put(content, at: "archives/ab/first")
            try await client.put([], at: "archives/ab/empty $&+=")
            #expect(try await client.bytes(of: "archives/ab/first") == content)
            #expect(try await client.bytes(of: "archives/ab/first", 10..<20) == Array(content[10..<20]))
            let object = try await client.object("archives/ab/first")
            #expect(object?.size == 100_000)
            #expect(object?.entityTag == "\"\(Hexadecimal.encode(MD5.hash(content)))\"")

            try await client.copy("archives/ab/first", to: "archives/cd/second", ifTagIs: object?.entityTag)
            #expect(try await client.bytes(of: "archives/cd/second") == content)

            var keys: [String] = []
            try await client.list("archives/") { object in
                keys.append(object.key)
                #expect(object.changed != nil)
            }
            #expect(keys.sorted() == ["archives/ab/empty $&+=", "archives/ab/first", "archives/cd/second"])
            #expect(try server.keys().allSatisfy { $0.hasPrefix("live/one/archives/") })

            try await client.delete("archives/ab/first")
            try await client.delete("archives/ab/first")
            #expect(try await client.object("archives/ab/first") == nil)
            #expect(try await client.bytes(of: "archives/ab/first") == nil)
        }
    }

    @Test func aLongListComesInPages() async throws {
        try await withStore { server, client, _ in
            for number in 0..<1100 {
                try AtomicFile.write(
                    [1], to: server.folder.appending(server.bucket).appending("many-\(number)"), durable: false)
            }
            var keys: Set<String> = []
            try await client.list("many-") { keys.insert($0.key) }
            #expect(keys.count == 1100)
        }
    }

    @Test func partsComeInAnyOrderAndMoreThanOnce() async throws {
        try await withStore(prefix: "p") { server, client, _ in
            let content = bytes((5 << 20) + 1000)
            let (first, second) = (Array(content[..<(5 << 20)]), Array(content[(5 << 20)...]))
            let upload = try await client.beginUpload(of: "uploads/a/file")
            #expect(try await client.openUploads("uploads/").map(\.id) == [upload])
            func put(_ part: [UInt8], _ number: Int, length: Int? = nil) async throws -> HTTPResponse {
                let url = client.partAddress(
                    of: "uploads/a/file", upload: upload, number: number, length: Int64(length ?? part.count),
                    seconds: 60)
                return try await send(.put, url, part, to: server).0
            }
            #expect(try await put(second, 2).status == 200)
            #expect(try await put(first, 1).etag == "\"\(Hexadecimal.encode(MD5.hash(first)))\"")
            #expect(try await put(first, 1).status == 200)
            #expect(try await put(second, 3, length: 7).status == 403, "a part has the length it was announced with")
            let parts = try await client.parts(of: "uploads/a/file", upload: upload)
            #expect(parts.map(\.number) == [1, 2])
            #expect(parts.map(\.size) == [5 << 20, 1000])
            try await client.completeUpload(upload, of: "uploads/a/file", parts)
            #expect(try await client.object("uploads/a/file")?.size == Int64(content.count))
            #expect(try await put(second, 2).status == 404, "it is over")
            let over = await #expect(throws: ObjectStorageError.self) {
                try await client.parts(of: "uploads/a/file", upload: upload)
            }
            #expect(over?.code == .noUpload)

            let other = try await client.beginUpload(of: "uploads/b/file")
            try await client.abortUpload(other, of: "uploads/b/file")
            try await client.abortUpload(other, of: "uploads/b/file")
            #expect(try await client.openUploads("").isEmpty)
        }
    }

    @Test func aSignedAddressNeedsNothingElseAndExpires() async throws {
        try await withStore { server, client, _ in
            try await client.put(Array("content".utf8), at: "archives/a b")
            let url = client.address("GET", "archives/a b", seconds: 60)
            let (head, body) = try await send(.get, url, to: server)
            #expect(head.status == 200)
            #expect(String(decoding: body, as: UTF8.self) == "content")
            #expect(
                try await send(.head, client.address("HEAD", "archives/a b", seconds: 60), to: server).0.status == 200)
            #expect(try await send(.head, url, to: server).0.status == 403, "it is for one method")
            #expect(try await send(.get, url.replacing("a%20b", with: "a%20c"), to: server).0.status == 403)
            #expect(try await send(.get, String(url.prefix { $0 != "?" }), to: server).0.status >= 400)
            let old = try Self.client(server, server.setting()) { Timestamp(seconds: Timestamp.now.seconds - 120) }
            #expect(try await send(.get, old.address("GET", "archives/a b", seconds: 60), to: server).0.status >= 400)
        }
    }

    @Test func aLargeFileGoesInPartsAndComesBackInPieces() async throws {
        try await withStore { server, client, scratch in
            let content = bytes(1 << 20)
            let path = scratch("large")
            do {
                let file = try OwnedDescriptor(path, .writeOnly, options: .create, permissions: .filePrivate)
                for _ in 0..<70 { try file.borrowed.writeAll(content) }
            }
            try await client.put(path, at: "archives/large")
            #expect(try await client.openUploads("").isEmpty)
            let digest = Locked(SHA256())
            let object = try await client.read("archives/large") { bytes in digest.withLock { $0.update(bytes) } }
            #expect(object.size == 70 << 20)
            var expected = SHA256()
            for _ in 0..<70 { expected.update(content) }
            #expect(digest.withLock { $0.finish() } == expected.finish())
        }
    }

    @Test func readingOutlivesTheStoresDeath() async throws {
        try await withStore { server, client, scratch in
            let content = bytes(24 << 20)
            try AtomicFile.write(content, to: scratch("file"), durable: false)
            try await client.put(scratch("file"), at: "a")
            let received = Locked([UInt8]())
            let isStopped = Locked(false)
            let patient = client.waiting(
                RetryPolicy(first: .milliseconds(10), longest: .milliseconds(50), patience: .seconds(30)))
            _ = try await patient.read("a") { bytes in
                received.withLock { $0 += bytes }
                let isFirst = isStopped.withLock { stopped in
                    defer { stopped = true }
                    return !stopped
                }
                if isFirst {
                    server.stop()
                    try server.start()
                }
            }
            #expect(received.withLock { $0 } == content)
        }
    }

    @Test func troubleIsToldInWords() async throws {
        try await withStore(prefix: "live") { server, client, scratch in
            func failure(_ client: S3Client) async -> ObjectStorageError? {
                await #expect(throws: ObjectStorageError.self) { try await client.list("") { _ in } }
            }
            let stranger = try Self.client(server, server.setting(), secret: "wrong")
            let refused = await failure(stranger)
            #expect(refused?.code == .refused)
            #expect(refused?.message.contains("Check the credentials") == true)
            #expect(refused?.description.contains("wrong") == false)

            let elsewhere = try Self.client(server, server.setting().replacing("s3://packs", with: "s3://nobody"))
            let missing = await failure(elsewhere)
            #expect(missing?.message.contains("There is no bucket nobody at \(server.url)") == true)

            let skewed = try Self.client(server, server.setting()) {
                Timestamp(seconds: Timestamp.now.seconds - 86_400)
            }
            #expect(await failure(skewed)?.code == .refused)

            let untrusting = try Self.client(server, String(server.setting().prefix { $0 != "&" }))
            #expect(await failure(untrusting)?.code == .unavailable)

            let absent = await #expect(throws: ObjectStorageError.self) {
                try await client.read("archives/none") { _ in }
            }
            #expect(absent?.code == .notFound)
            #expect(absent?.message.contains("live/archives/none in the bucket packs cannot be read") == true)
            let file = await #expect(throws: ObjectStorageError.self) {
                try await client.put(scratch("none"), at: "x")
            }
            #expect(file?.code == .file)
        }
    }
}
