// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HTTP

extension FaultRule.Kind {
    /// The answer, gone wrong in this way.
    /// - Parameters:
    ///   - size: bytes in the whole resource.
    ///   - base: the server's address, such as `https://localhost:8443`.
    package func spoil(
        _ response: HTTPServerResponse, to request: HTTPServerRequest, size: Int64, base: String
    ) -> HTTPServerResponse {
        var response = response
        let length = response.body.reduce(Int64(0)) { $0 + $1.count }
        switch self {
        case .slow(let rate): response.behaviour.bytesPerSecond = rate
        case .stall(let after): response.behaviour.stop(.stall, after ?? length / 2)
        case .cut(let after): response.behaviour.stop(.cut, after ?? length / 2)
        case .reset(let after): response.behaviour.stop(.reset, after ?? length / 2)
        case .wrongByte(let offset): response.behaviour.wrongByte = place(of: offset ?? size / 2, in: response)
        case .short(let count): response.body = shortened(response.body, by: count)
        case .long(let count):
            response.body.append(.bytes([UInt8](repeating: 0, count: Int(clamping: min(count, 64 << 20)))))
        case .endless: response.behaviour.isEndless = true
        case .noRanges: response = whole(response, size: size)
        case .firstRange, .wrongRange, .shifted: response = misranged(response, size: size)
        case .status(let status, let retryAfter):
            response = .text(status, "A fault was asked for: \(status).")
            if let retryAfter { response.headers["Retry-After"] = String(retryAfter) }
            if status == 416 { response.headers["Content-Range"] = "bytes */\(size)" }
        case .redirect(let redirect):
            guard let location = redirect.location(of: request, base: base) else { return response }
            response = .text(302, "A fault was asked for: go elsewhere.")
            response.headers["Location"] = location
        }
        return response
    }

    /// Where a byte of the resource stands in the body; nil when it is not in it.
    private func place(of byte: Int64, in response: HTTPServerResponse) -> Int64? {
        var position: Int64 = 0
        for segment in response.body {
            if case .file(_, let offset, let count) = segment {
                if (offset..<offset + count).contains(byte) { return position + byte - offset }
            } else if response.status == 200, (position..<position + segment.count).contains(byte) {
                return byte
            }
            position += segment.count
        }
        return nil
    }

    private func whole(_ response: HTTPServerResponse, size: Int64) -> HTTPServerResponse {
        var response = response
        response.headers["Accept-Ranges"] = nil
        guard response.status == 206 else { return response }
        for case .file(let file, _, _) in response.body {
            response.status = 200
            response.body = [.file(file, offset: 0, count: size)]
            response.headers["Content-Range"] = nil
            // Of several parts it told where they end.
            response.headers["Content-Type"] = "application/octet-stream"
            break
        }
        return response
    }

    private func shortened(_ body: [BodySegment], by count: Int64) -> [BodySegment] {
        var left = max(0, body.reduce(Int64(0)) { $0 + $1.count } - count)
        var kept: [BodySegment] = []
        for segment in body where left > 0 {
            let size = min(left, segment.count)
            switch segment {
            case .bytes(let bytes): kept.append(.bytes(Array(bytes.prefix(Int(size)))))
            case .file(let file, let offset, _): kept.append(.file(file, offset: offset, count: size))
            }
            left -= size
        }
        return kept
    }
}

extension FaultRule.Redirect {
    /// The argument by which a request that was sent on is known again.
    private static let mark = "larder-redirected"

    /// nil for a request that was sent on already and is to be answered.
    fileprivate func location(of request: HTTPServerRequest, base: String) -> String? {
        let path = request.path.utf8.map { byte -> String in
            let isPlain =
                byte == UInt8(ascii: "/") || byte > 0x20 && byte < 0x7F && !"%?#\"<>\\^`{|}".utf8.contains(byte)
            return isPlain
                ? String(decoding: [byte], as: UTF8.self) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        switch self {
        case .https:
            if request.query.contains(where: { $0.name == Self.mark }) { return nil }
            return "\(base)\(path)?\(Self.mark)=1"
        case .http:
            let plain = base.hasPrefix("https:") ? "http:" + base.dropFirst("https:".count) : base
            return plain + path
        case .loop: return base + path
        case .url(let url): return url
        }
    }
}

extension BodyBehaviour {
    fileprivate mutating func stop(_ kind: Break, _ offset: Int64) {
        breaks = kind
        breakOffset = offset
    }
}
