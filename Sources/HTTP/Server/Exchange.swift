// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPD
internal import CMicroHTTPDShim

/// One request and its answer, from head to completion.
// Safe: libmicrohttpd calls for one connection from one thread at a time; the handler's task only sees `request`, and
// `answer` is written and read under the core's lock.
final class Exchange: @unchecked Sendable {
    let connection: OpaquePointer
    let method: String
    let path: String
    let headers: HTTPHeaders
    let started = SuspendingClock().now
    private var body: [UInt8] = []
    private(set) var bodyIsTooLarge = false
    /// What the handler decided.
    var answer: HTTPServerResponse?
    /// What was sent, for the log.
    var status = 0
    var bytesSent: Int64 = 0

    init(_ connection: OpaquePointer, method: String, path: String) {
        self.connection = connection
        self.method = method
        self.path = path
        headers = HTTPHeaders(Exchange.values(connection, .HEADER_KIND))
    }

    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        guard body.count + bytes.count <= limit else {
            bodyIsTooLarge = true
            return
        }
        body.append(contentsOf: bytes)
    }

    var request: HTTPServerRequest {
        HTTPServerRequest(
            method: method, path: path, query: Exchange.values(connection, .GET_ARGUMENT_KIND), headers: headers,
            body: body, client: client)
    }

    var client: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            larder_mhd_client(connection, base, buffer.count)
            return String(cString: base)
        }
    }

    private static func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [(String, String)] {
        var pairs: [(String, String)] = []
        withUnsafeMutablePointer(to: &pairs) { pointer in
            _ = MHD_get_connection_values(connection, kind, onValue, pointer)
        }
        return pairs
    }
}

private func onValue(
    _ context: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    context.assumingMemoryBound(to: [(String, String)].self).pointee
        .append((String(cString: key), value.map { String(cString: $0) } ?? ""))
    return .YES
}
