// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit
import System
import TestSupport
import Testing

private final class OpenFile: Sendable {
    private let file: OwnedDescriptor
    var borrowed: FileDescriptor { file.borrowed }
    init(_ file: consuming OwnedDescriptor) { self.file = file }
}

/// What clients send, taken by this house's own server.
@Suite(.timeLimit(.minutes(5))) struct RequestBodyTests {
    /// A plain server on loopback that answers with what `answer` makes of each request.
    private static func withServer(
        _ answer: @escaping @Sendable (HTTPServerRequest) -> HTTPServerResponse, _ body: (String) async throws -> Void
    ) async throws {
        var configuration = HTTPServerConfiguration(host: "127.0.0.1")
        configuration.maximumRequestBody = 16 << 20
        let server = try HTTPServer(configuration) { answer($0) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body("http://127.0.0.1:\(server.port)"))
        } catch {
            result = .failure(error)
        }
        try await onOwnThread { server.stop() }
        try result.get()
    }

    private static func echo(_ request: HTTPServerRequest) -> HTTPServerResponse {
        HTTPServerResponse(
            status: 201, headers: ["X-Method": request.method, "X-Type": request.headers["Content-Type"] ?? ""],
            body: [.bytes(request.body)])
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func bytesAndTheirMethodArrive(_ method: HTTPRequest.Method) async throws {
        try await Self.withServer(Self.echo) { url in
            for size in [0, 1, 70_000, 3 << 20] {
                var request = HTTPRequest(url: url, method: method, headers: [("Content-Type", "text/plain")])
                request.body = HTTPRequestBody(pattern(size))
                request.takesEveryStatus = true
                let (head, bytes) = try await HTTPClient.forTests().data(for: request, limit: 4 << 20)
                #expect(head.status == 201)
                #expect(head.headers["X-Method"] == method.rawValue)
                #expect(head.headers["X-Type"] == "text/plain")
                #expect(bytes == pattern(size))
            }
        }
    }

    @Test func aPieceOfAFileIsSentAndItsProgressTold() async throws {
        try await Scratch.with { scratch in
            let content = pattern(5 << 20)
            let path = try scratch.write(content, to: "file")
            try await Self.withServer(Self.echo) { url in
                let file = OpenFile(try OwnedDescriptor(path, .readOnly))
                let told = Locked<[Int64]>([])
                var request = HTTPRequest(url: url, method: .put)
                request.body = HTTPRequestBody(length: 2 << 20) { buffer, offset in
                    try file.borrowed.read(fromAbsoluteOffset: (1 << 20) + offset, into: buffer)
                }
                request.body?.onProgress = { sent in told.withLock { $0.append(sent) } }
                request.takesEveryStatus = true
                let (_, bytes) = try await HTTPClient.forTests().data(for: request, limit: 4 << 20)
                #expect(bytes == Array(content[(1 << 20)..<(3 << 20)]))
                #expect(told.withLock { $0.last } == 2 << 20)
            }
        }
    }

    @Test func aFileThatBecameShorterIsAnError() async throws {
        try await Scratch.with { scratch in
            let path = try scratch.write(pattern(1000), to: "file")
            try await Self.withServer(Self.echo) { url in
                let file = OpenFile(try OwnedDescriptor(path, .readOnly))
                var request = HTTPRequest(url: url, method: .put)
                request.body = HTTPRequestBody(length: 2000) { buffer, offset in
                    try file.borrowed.read(fromAbsoluteOffset: offset, into: buffer)
                }
                let error = await #expect(throws: HTTPClientError.self) {
                    _ = try await HTTPClient.forTests().data(for: request, limit: 1 << 20)
                }
                #expect(error?.code == .unreadableBody)
            }
        }
    }

    @Test func aRefusalIsAnAnswerWithABodyWhereEveryStatusIsTaken() async throws {
        let refusal: @Sendable (HTTPServerRequest) -> HTTPServerResponse = { _ in .text(409, "no") }
        try await Self.withServer(refusal) { url in
            var request = HTTPRequest(url: url, method: .delete)
            request.takesEveryStatus = true
            let (head, bytes) = try await HTTPClient.forTests().data(for: request, limit: 100)
            #expect(head.status == 409)
            #expect(String(decoding: bytes, as: UTF8.self) == "no\n")
            request.takesEveryStatus = false
            let error = await #expect(throws: HTTPClientError.self) {
                _ = try await HTTPClient.forTests().data(for: request, limit: 100)
            }
            #expect(error?.status == 409)
        }
    }

    @Test func aRedirectIsNotFollowedWithABody() async throws {
        let seen = Locked(0)
        let redirect: @Sendable (HTTPServerRequest) -> HTTPServerResponse = { _ in
            seen.withLock { $0 += 1 }
            return HTTPServerResponse(status: 307, headers: ["Location": "/elsewhere"])
        }
        try await Self.withServer(redirect) { url in
            var request = HTTPRequest(url: url, method: .post)
            request.body = HTTPRequestBody([1, 2, 3])
            request.takesEveryStatus = true
            let (head, _) = try await HTTPClient.forTests().data(for: request, limit: 100)
            #expect(head.status == 307)
        }
        #expect(seen.withLock { $0 } == 1)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func noConnectionIsMadeToAnAddressThatIsNotPermitted(_ host: String) async throws {
        let seen = Locked(0)
        let count: @Sendable (HTTPServerRequest) -> HTTPServerResponse = { _ in
            seen.withLock { $0 += 1 }
            return .text(200, "there")
        }
        try await Self.withServer(count) { url in
            var request = HTTPRequest(url: url.replacing("127.0.0.1", with: host))
            let asked = Locked<Set<NetworkAddress>>([])
            request.permitsAddress = { address in
                asked.withLock { _ = $0.insert(address) }
                return address.isPublic
            }
            let error = await #expect(throws: HTTPClientError.self) {
                _ = try await HTTPClient.forTests().data(for: request, limit: 100)
            }
            #expect(error?.code == .forbiddenAddress)
            #expect(asked.withLock { $0 }.contains { $0.bytes.first == 127 })
            #expect(seen.withLock { $0 } == 0)
            request.permitsAddress = { _ in true }
            let (head, _) = try await HTTPClient.forTests().data(for: request, limit: 100)
            #expect(head.status == 200)
        }
    }

    struct Address: Sendable, CustomTestStringConvertible {
        let text: String
        let isPublic: Bool
        var testDescription: String { text }
    }

    @Test(arguments: [
        Address(text: "8.8.8.8", isPublic: true), Address(text: "172.15.0.1", isPublic: true),
        Address(text: "172.32.0.1", isPublic: true), Address(text: "100.128.0.1", isPublic: true),
        Address(text: "192.0.1.1", isPublic: true), Address(text: "223.255.255.255", isPublic: true),
        Address(text: "2606:4700::1", isPublic: true), Address(text: "2001:200::1", isPublic: true),
        Address(text: "::ffff:8.8.8.8", isPublic: true), Address(text: "64:ff9b::808:808", isPublic: true),
        Address(text: "0.0.0.0", isPublic: false), Address(text: "10.1.2.3", isPublic: false),
        Address(text: "127.0.0.1", isPublic: false), Address(text: "127.255.1.1", isPublic: false),
        Address(text: "169.254.169.254", isPublic: false), Address(text: "172.16.0.1", isPublic: false),
        Address(text: "172.31.255.255", isPublic: false), Address(text: "192.168.1.1", isPublic: false),
        Address(text: "100.64.0.1", isPublic: false), Address(text: "100.127.0.1", isPublic: false),
        Address(text: "198.19.0.1", isPublic: false), Address(text: "224.0.0.1", isPublic: false),
        Address(text: "255.255.255.255", isPublic: false), Address(text: "::", isPublic: false),
        Address(text: "::1", isPublic: false), Address(text: "fe80::1", isPublic: false),
        Address(text: "fc00::1", isPublic: false), Address(text: "fd12::1", isPublic: false),
        Address(text: "ff02::1", isPublic: false), Address(text: "::ffff:127.0.0.1", isPublic: false),
        Address(text: "::ffff:10.0.0.1", isPublic: false), Address(text: "::127.0.0.1", isPublic: false),
        Address(text: "64:ff9b::7f00:1", isPublic: false), Address(text: "2002:7f00:1::1", isPublic: false),
        Address(text: "2002:a00:1::1", isPublic: false), Address(text: "2001::1", isPublic: false),
        Address(text: "2001:db8::1", isPublic: false),
    ])
    func addressesOfTheWorldAreTold(_ address: Address) throws {
        #expect(try #require(NetworkAddress(address.text)).isPublic == address.isPublic)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.256", "0x7f.1", "[::1]", "fe80::1%lo"])
    func whatIsNoAddressIsNone(_ text: String) { #expect(NetworkAddress(text) == nil) }
}
