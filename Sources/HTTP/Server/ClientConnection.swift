// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPDShim

/// libmicrohttpd's connection with one client, as long as an exchange on it lasts.
// Safe: libmicrohttpd calls for one connection from one thread at a time, and everything here is called from there; other
// threads only resume it, which they may, once for each time it was suspended.
struct ClientConnection: @unchecked Sendable {
    let raw: OpaquePointer

    /// The numeric address; empty when unknown.
    var client: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            larder_mhd_client(raw, base, buffer.count)
            return String(cString: base)
        }
    }

    var socket: CInt { larder_mhd_socket(raw) }

    func suspend() { larder_mhd_suspend(raw) }

    func resume() { larder_mhd_resume(raw) }

    /// Makes the connection end without an orderly close.
    func abort() { larder_mhd_abort_socket(socket) }

    /// What was put down for the connection when it began.
    var deadline: ReadingDeadline? {
        larder_mhd_connection_context(raw).map { Unmanaged<ReadingDeadline>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The first field of that name in the request's head.
    func field(_ name: StaticString) -> String? {
        // A static string ends in a zero byte.
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            larder_mhd_field(raw, $0).map { String(cString: $0) }
        }
    }

    /// The fields of the request's head, in their order.
    var fields: [(String, String)] { values(.HEADER_KIND) }

    /// Whether the head says in two ways, or more than once, where the body ends, or in a way that is not known here. Whoever
    /// passed the request on may have read it otherwise, and what he took for a body would be a request of its own here.
    /// - Parameter mayHaveBody: whether the request's method is one that has a body.
    func hasAmbiguousLength(mayHaveBody: Bool) -> Bool {
        let encoding = field("Transfer-Encoding")
        guard mayHaveBody || encoding != nil || field("Content-Length") != nil else { return false }
        if let encoding, !HTTPHeaders.same(encoding, "chunked") { return true }
        var count = 0
        for (name, _) in fields {
            let name = name.lowercased()
            guard let word = ["transfer-encoding", "content-length"].first(where: { name.hasPrefix($0) }) else {
                continue
            }
            // Blanks before the colon, or a line that goes on, have become part of the name.
            guard name == word else { return true }
            count += 1
        }
        return count > 1
    }

    /// The arguments of the request's query, decoded, in their order.
    var arguments: [(String, String)] { values(.GET_ARGUMENT_KIND) }

    private func values(_ kind: MHD_ValueKind) -> [(String, String)] {
        var pairs: [(String, String)] = []
        withUnsafeMutablePointer(to: &pairs) { pointer in
            larder_mhd_values(raw, kind, onValue, pointer)
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
