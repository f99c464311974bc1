// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP

/// What goes wrong with the ranges of an answer, and with nothing else: one without ranges stays as it is.
extension FaultRule.Kind {
    func misranged(_ response: HTTPServerResponse, size: Int64) -> HTTPServerResponse {
        guard response.status == 206 else { return response }
        let files = response.body.filter { if case .file = $0 { true } else { false } }
        switch self {
        case .firstRange:
            guard files.count > 1, case .file(let file, let offset, let count)? = files.first else { return response }
            return part(.file(file, offset: offset, count: count), offset..<offset + count, of: size, response)
        case .wrongRange:
            // Heads and bytes take turns, and behind the last part stands what ends the body.
            guard files.count == 1 else { return reversed(response) }
            guard case .file(let file, let offset, let count)? = files.first else { return response }
            let place = other(offset, count, size)
            return part(.file(file, offset: place, count: count), place..<place + count, of: size, response)
        default:
            var response = response
            response.body = response.body.map { segment in
                guard case .file(let file, let offset, let count) = segment else { return segment }
                return .file(file, offset: other(offset, count, size), count: count)
            }
            return response
        }
    }

    /// Another place for as many bytes, if there is one.
    private func other(_ offset: Int64, _ count: Int64, _ size: Int64) -> Int64 {
        offset + count < size ? offset + 1 : max(0, offset - 1)
    }

    private func reversed(_ response: HTTPServerResponse) -> HTTPServerResponse {
        var response = response
        var parts: [[BodySegment]] = []
        for start in stride(from: 0, to: response.body.count - 1, by: 2) {
            parts.append(Array(response.body[start..<min(start + 2, response.body.count)]))
        }
        response.body = parts.reversed().flatMap(\.self) + response.body.suffix(1)
        return response
    }

    private func part(
        _ segment: BodySegment, _ range: Range<Int64>, of size: Int64, _ response: HTTPServerResponse
    ) -> HTTPServerResponse {
        var response = response
        response.body = [segment]
        response.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        response.headers["Content-Type"] = "application/octet-stream"
        return response
    }
}
