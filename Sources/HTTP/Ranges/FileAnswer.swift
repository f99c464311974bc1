// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The answer to a GET or HEAD of a file: whole, in part, in several parts, or not at all. Decided from the request's
/// fields alone (RFC 9110, 13 and 14).
package struct FileAnswer: Sendable {
    package let file: ServedFile
    package let size: Int64
    /// A strong entity tag, with its quotes.
    package let etag: String
    package let contentType: String

    package init(file: ServedFile, size: Int64, etag: String, contentType: String) {
        self.file = file
        self.size = size
        self.etag = etag
        self.contentType = contentType
    }

    /// More ranges than that in one request are answered with the whole file.
    static let maximumRanges = 16

    package func response(to request: HTTPServerRequest) -> HTTPServerResponse {
        if let field = request.headers["If-Match"], !EntityTags(field).contains(strong: etag) {
            return HTTPServerResponse(status: 412, headers: ["ETag": etag])
        }
        if let field = request.headers["If-None-Match"], EntityTags(field).contains(weak: etag) {
            return HTTPServerResponse(status: 304, headers: ["ETag": etag])
        }
        guard request.method == "GET", let field = request.headers["Range"], let wanted = RangeField(field),
            mayBePartial(request)
        else { return whole }
        let ranges = wanted.resolved(size: size)
        if ranges.isEmpty {
            return HTTPServerResponse(
                status: 416, headers: ["Content-Range": "bytes */\(size)", "ETag": etag, "Accept-Ranges": "bytes"])
        }
        // Ranges that add up to more than the file are a mistake or an attack; the whole is the cheaper answer.
        let total = ranges.reduce(Int64(0)) { $0 + Int64($1.count) }
        guard ranges.count <= FileAnswer.maximumRanges, ranges.count == 1 || total <= size else { return whole }
        return ranges.count == 1 ? part(ranges[0]) : parts(ranges)
    }

    /// A part of another file than the client has would be worse than useless.
    private func mayBePartial(_ request: HTTPServerRequest) -> Bool {
        guard let field = request.headers["If-Range"] else { return true }
        return field.trimmedSpaces == etag
    }

    private var commonHeaders: HTTPHeaders { ["Accept-Ranges": "bytes", "ETag": etag] }

    private var whole: HTTPServerResponse {
        var headers = commonHeaders
        headers["Content-Type"] = contentType
        return HTTPServerResponse(status: 200, headers: headers, body: [.file(file, offset: 0, count: size)])
    }

    private func part(_ range: Range<Int64>) -> HTTPServerResponse {
        var headers = commonHeaders
        headers["Content-Type"] = contentType
        headers["Content-Range"] = contentRange(range)
        return HTTPServerResponse(
            status: 206, headers: headers,
            body: [.file(file, offset: range.lowerBound, count: Int64(range.count))])
    }

    private func parts(_ ranges: [Range<Int64>]) -> HTTPServerResponse {
        // The tag is a digest, so no content is likely to hold it; boundaries may have 70 characters.
        let boundary = "larder-" + String(etag.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(48))
        var headers = commonHeaders
        headers["Content-Type"] = "multipart/byteranges; boundary=\(boundary)"
        var body: [BodySegment] = []
        for range in ranges {
            let head =
                "\r\n--\(boundary)\r\nContent-Type: \(contentType)\r\nContent-Range: \(contentRange(range))\r\n\r\n"
            body.append(.bytes(Array(head.utf8)))
            body.append(.file(file, offset: range.lowerBound, count: Int64(range.count)))
        }
        body.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        return HTTPServerResponse(status: 206, headers: headers, body: body)
    }

    private func contentRange(_ range: Range<Int64>) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }
}
