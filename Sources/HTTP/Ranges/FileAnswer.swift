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
    /// The fields of an answer with the content, or one stretch of it.
    private let contentHeaders: HTTPHeaders
    private let cacheControl: String?

    /// - Parameter cacheControl: what caches are told; nil for nothing.
    package init(file: ServedFile, size: Int64, etag: String, contentType: String, cacheControl: String? = nil) {
        self.file = file
        self.size = size
        self.etag = etag
        self.contentType = contentType
        self.cacheControl = cacheControl
        var headers: HTTPHeaders = ["Accept-Ranges": "bytes", "ETag": etag, "Content-Type": contentType]
        if let cacheControl { headers.add("Cache-Control", cacheControl) }
        contentHeaders = headers
    }

    /// More ranges than that in one request are answered with the whole file.
    static let maximumRanges = 16

    package func response(to request: some ConditionalRequest) -> HTTPServerResponse {
        if let field = request.field("If-Match"), !EntityTags(field).contains(strong: etag) {
            return HTTPServerResponse(status: 412, headers: headers(["ETag": etag]))
        }
        if let field = request.field("If-None-Match"), EntityTags(field).contains(weak: etag) {
            return HTTPServerResponse(status: 304, headers: headers(["ETag": etag]))
        }
        guard request.method == "GET", let field = request.field("Range"), let wanted = RangeField(field),
            mayBePartial(request)
        else { return whole }
        if let range = wanted.single(size: size) { return part(range) }
        let ranges = wanted.resolved(size: size)
        if ranges.isEmpty {
            return HTTPServerResponse(
                status: 416,
                headers: headers(["Content-Range": "bytes */\(size)", "ETag": etag, "Accept-Ranges": "bytes"]))
        }
        // Ranges that add up to more than the file are a mistake or an attack; the whole is the cheaper answer.
        let total = ranges.reduce(Int64(0)) { $0 + Int64($1.count) }
        guard ranges.count <= FileAnswer.maximumRanges, ranges.count == 1 || total <= size else { return whole }
        return ranges.count == 1 ? part(ranges[0]) : parts(ranges)
    }

    /// A part of another file than the client has would be worse than useless.
    private func mayBePartial(_ request: some ConditionalRequest) -> Bool {
        guard let field = request.field("If-Range") else { return true }
        return field.trimmedSpaces == etag
    }

    /// With what caches are told.
    private func headers(_ pairs: KeyValuePairs<String, String>) -> HTTPHeaders {
        var headers = HTTPHeaders(pairs.map { ($0.key, $0.value) })
        if let cacheControl { headers.add("Cache-Control", cacheControl) }
        return headers
    }

    private var whole: HTTPServerResponse {
        HTTPServerResponse(status: 200, headers: contentHeaders, body: [.file(file, offset: 0, count: size)])
    }

    private func part(_ range: Range<Int64>) -> HTTPServerResponse {
        HTTPServerResponse(
            status: 206, headers: contentHeaders.with("Content-Range", contentRange(range)),
            body: [.file(file, offset: range.lowerBound, count: Int64(range.count))])
    }

    private func parts(_ ranges: [Range<Int64>]) -> HTTPServerResponse {
        // The tag is a digest, so no content is likely to hold it; boundaries may have 70 characters.
        let boundary = "larder-" + String(etag.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(48))
        var body: [BodySegment] = []
        for range in ranges {
            let head =
                "\r\n--\(boundary)\r\nContent-Type: \(contentType)\r\nContent-Range: \(contentRange(range))\r\n\r\n"
            body.append(.bytes(Array(head.utf8)))
            body.append(.file(file, offset: range.lowerBound, count: Int64(range.count)))
        }
        body.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        return HTTPServerResponse(
            status: 206,
            headers: headers([
                "Accept-Ranges": "bytes", "ETag": etag,
                "Content-Type": "multipart/byteranges; boundary=\(boundary)",
            ]), body: body)
    }

    private func contentRange(_ range: Range<Int64>) -> String {
        var text = "bytes "
        text.reserveCapacity(64)
        text.append(range.lowerBound)
        text.append("-")
        text.append(range.upperBound - 1)
        text.append("/")
        text.append(size)
        return text
    }
}

extension String {
    /// Digit by digit: interpolation takes several times as long.
    fileprivate mutating func append(_ number: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = max(0, number)
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: String(decoding: digits[start...], as: UTF8.self))
        }
    }
}
