// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DeviceProtocol
import Kit
import TestSupport

@testable import HTTP

/// Serves archives from memory over plain http on the loopback, with ranges, and misbehaves when told to.
final class PackServer: Sendable {
    /// How one answer goes wrong. They are used up in order; afterwards all goes well.
    enum Fault: Sendable {
        case none
        case status(Int)
        case cut(after: Int64)
        case reset(after: Int64)
        case stall(after: Int64)
        case wrongByte(Int64)
        case redirect(String)
        /// Twenty bytes a second.
        case drip
        /// Zeroes without end behind the file, and no length.
        case endless
        /// Another file under the same address, from this answer on.
        case replaced([UInt8])
        /// Says and sends this instead.
        case lies([UInt8])
        /// Ignores what part was asked for.
        case noRanges
        /// Of several ranges gives the first.
        case firstRangeOnly
        /// Answers requests for several ranges with this status, and 200 with the whole file.
        case singleRangesOnly(Int)
        /// An answer with ranges is changed in a few places, as this seed says.
        case mangled(UInt64)
    }

    struct Request: Sendable, Hashable {
        var path: String
        var range: String?
        var ifRange: String?
    }

    private struct File {
        var bytes: [UInt8]
        var etag: String
    }

    private struct State {
        var files: [String: File] = [:]
        var served = 0
        var faults: [Fault] = []
        var spoilt: [String: Fault] = [:]
        var faultsOf: [String: [Fault]] = [:]
        var requests: [Request] = []
        var onRequest: (@Sendable (Request) -> Void)?
        /// What the Authorization field must be, by path.
        var locks: [String: String] = [:]
        var authorizations: [String] = []

        mutating func serve(_ bytes: [UInt8], _ path: String) {
            served += 1
            files[path] = File(bytes: bytes, etag: "\"\(served)\"")
        }
    }

    private let state: Monitor<State>
    private let server: HTTPServer
    private let isSecure: Bool

    /// - Parameter identity: serves https, to `localhost`; nil serves plain http.
    init(identity: TLSIdentity? = nil) throws {
        let state = Monitor(State())
        self.state = state
        isSecure = identity != nil
        server = try HTTPServer(HTTPServerConfiguration(host: "127.0.0.1", port: 0, identity: identity)) { request in
            Self.answer(request, state)
        }
    }

    func stop() { server.stop() }

    func url(_ name: String) -> String {
        (isSecure ? "https://localhost" : "http://127.0.0.1") + ":\(server.port)/\(name)"
    }

    func serve(_ bytes: [UInt8], as name: String) { state.withLock { $0.serve(bytes, "/" + name) } }

    func fail(_ faults: Fault...) { state.withLock { $0.faults = faults } }

    /// As `fail`, for one path only, beginning with `/`.
    func fail(path: String, _ faults: [Fault]) { state.withLock { $0.faultsOf[path] = faults } }

    /// Has every answer for one file go wrong from now on; nil: no more.
    func spoil(_ name: String, _ fault: Fault?) { state.withLock { $0.spoilt["/" + name] = fault } }

    /// Gives a file only to this user, from now on (RFC 7617, realm "films").
    func lock(_ name: String, user: String, password: String) {
        state.withLock { $0.locks["/" + name] = "Basic " + Base64(Array("\(user):\(password)".utf8)).text }
    }

    /// Every login that was tried, in order; "-" for a request without.
    var authorizations: [String] { state.withLock { $0.authorizations } }

    /// Called before each answer.
    func onRequest(_ body: @escaping @Sendable (Request) -> Void) { state.withLock { $0.onRequest = body } }

    var requests: [Request] { state.withLock { $0.requests } }

    /// Blocks until so many requests have come. For an owned thread.
    func waitForRequests(_ count: Int) async throws {
        try await onOwnThread { [state] in state.wait { $0.requests.count >= count ? () : nil } }
    }

    private static func answer(_ request: HTTPServerRequest, _ state: Monitor<State>) -> HTTPServerResponse {
        let range = request.headers["Range"]
        let entry = Request(path: request.path, range: range, ifRange: request.headers["If-Range"])
        state.peek { $0.onRequest }?(entry)
        let isLocked = state.withLock { state in
            let given = request.headers["Authorization"]
            state.authorizations.append(given ?? "-")
            return state.locks[request.path].map { $0 != given } ?? false
        }
        if isLocked {
            state.withLock { $0.requests.append(entry) }
            return HTTPServerResponse(
                status: 401, headers: ["WWW-Authenticate": "Basic realm=\"films\", charset=\"UTF-8\""],
                body: [.bytes(Array("Who are you?".utf8))])
        }
        let (found, fault) = state.withLock { state -> (File?, Fault) in
            state.requests.append(entry)
            let fault =
                state.spoilt[request.path] ?? state.faultsOf[request.path, default: []].popFirst()
                ?? (state.faults.isEmpty ? Fault.none : state.faults.removeFirst())
            if case .replaced(let bytes) = fault { state.serve(bytes, request.path) }
            return (state.files[request.path], fault)
        }
        guard let found else { return .text(404, "no such pack") }
        var file = found.bytes
        let etag = found.etag
        var behaviour = BodyBehaviour()
        switch fault {
        case .status(let status): return .text(status, "as told")
        case .redirect(let url): return HTTPServerResponse(status: 302, headers: ["Location": url])
        case .cut(let offset): (behaviour.breaks, behaviour.breakOffset) = (.cut, offset)
        case .reset(let offset): (behaviour.breaks, behaviour.breakOffset) = (.reset, offset)
        case .stall(let offset): (behaviour.breaks, behaviour.breakOffset) = (.stall, offset)
        case .wrongByte(let offset): behaviour.wrongByte = offset
        case .lies(let bytes): file = bytes
        case .drip: behaviour.bytesPerSecond = 20
        case .endless: behaviour.isEndless = true
        case .none, .replaced, .noRanges, .firstRangeOnly, .mangled, .singleRangesOnly: break
        }
        var ranges: [Range<Int64>]?
        if let range, let field = RangeField(range) { ranges = field.resolved(size: Int64(file.count)) }
        if let condition = request.headers["If-Range"], condition != etag { ranges = nil }
        if case .noRanges = fault { ranges = nil }
        if case .firstRangeOnly = fault { ranges = ranges.map { Array($0.prefix(1)) } }
        if case .singleRangesOnly(let status) = fault, let asked = ranges, asked.count > 1 {
            if status != 200 { return .text(status, "one range at a time") }
            ranges = nil
        }
        var response = answer(file, ranges, etag, behaviour)
        if case .mangled(let seed) = fault, response.status == 206 { mangle(&response, seed) }
        return response
    }

    private static func mangle(_ response: inout HTTPServerResponse, _ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        guard case .bytes(var body)? = response.body.first else { return }
        if let field = response.headers["Content-Range"], Bool.random(using: &random) {
            var text = Array(field.utf8)
            text[Int.random(in: 6..<text.count, using: &random)] =
                Array("0123456789-/".utf8).randomElement(using: &random) ?? 0
            response.headers["Content-Range"] = String(decoding: text, as: UTF8.self)
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) where body.count > 100 {
            // Where the heads of parts are, or anywhere.
            let heads = body.indices.filter { body[$0...].starts(with: "Content-Range".utf8) }
            let place = heads.randomElement(using: &random).map { $0 + Int.random(in: -10...40, using: &random) }
            let at = min(
                max(0, Bool.random(using: &random) ? place ?? 0 : Int.random(in: 0..<body.count, using: &random)),
                body.count - 1)
            switch Int.random(in: 0...3, using: &random) {
            case 0: body[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1: body.removeSubrange(at..<min(body.count, at + Int.random(in: 1...40, using: &random)))
            case 2: body.insert(contentsOf: body[at..<min(body.count, at + 30)], at: at)
            default: body[at] = Array("0123456789-/\r\n".utf8).randomElement(using: &random) ?? 0
            }
        }
        response.body = [.bytes(body)]
    }

    private static func answer(
        _ file: [UInt8], _ ranges: [Range<Int64>]?, _ etag: String, _ behaviour: BodyBehaviour
    ) -> HTTPServerResponse {
        var headers: HTTPHeaders = ["ETag": etag, "Accept-Ranges": "bytes"]
        guard let ranges else {
            return HTTPServerResponse(status: 200, headers: headers, body: [.bytes(file)], behaviour: behaviour)
        }
        func field(_ range: Range<Int64>) -> String {
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)"
        }
        guard let first = ranges.first else {
            return HTTPServerResponse(status: 416, headers: ["Content-Range": "bytes */\(file.count)"])
        }
        var body: [UInt8] = []
        if ranges.count == 1 {
            headers["Content-Range"] = field(first)
            body = Array(file[Int(first.lowerBound)..<Int(first.upperBound)])
        } else {
            headers["Content-Type"] = "multipart/byteranges; boundary=between"
            for range in ranges {
                body += Array("\r\n--between\r\nContent-Range: \(field(range))\r\n\r\n".utf8)
                body += file[Int(range.lowerBound)..<Int(range.upperBound)]
            }
            body += Array("\r\n--between--\r\n".utf8)
        }
        return HTTPServerResponse(status: 206, headers: headers, body: [.bytes(body)], behaviour: behaviour)
    }
}

extension Array {
    fileprivate mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}
