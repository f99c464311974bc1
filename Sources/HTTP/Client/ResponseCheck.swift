// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Glibc

/// Whether an answer fits what was asked; nothing behind this check doubts offsets and lengths again.
package struct ResponseCheck {
    package let request: HTTPRequest

    package init(request: HTTPRequest) { self.request = request }

    /// The answer's head, or why it will not do.
    package func evaluate(status: Int, headers: HTTPHeaders, finalURL: String) throws(HTTPClientError) -> HTTPResponse {
        let place = DisplayURL.text(finalURL)
        if request.takesEveryStatus {
            let hasNoBody = status == 204 || status == 304 || request.method == .head
            return HTTPResponse(
                status: status, headers: headers, finalURL: finalURL,
                contentLength: hasNoBody ? 0 : bodyLength(headers), startOffset: 0, totalLength: nil)
        }
        if status == 304, HTTPHeaders(request.headers)["If-None-Match"] != nil {
            return HTTPResponse(
                status: status, headers: headers, finalURL: finalURL, contentLength: 0, startOffset: 0, totalLength: nil
            )
        }
        guard status == 200 || status == 206 else { throw refused(status, headers, place, finalURL) }
        if let encoding = headers["Content-Encoding"], !HTTPHeaders.same(encoding, "identity") {
            throw HTTPClientError(
                .badResponse,
                "\(place) was sent encoded (\(encoding.prefix(40))), which was not asked for. The server must send the "
                    + "file as it is.")
        }
        let length = bodyLength(headers)
        let response =
            status == 206
            ? try partial(headers, finalURL, length)
            : HTTPResponse(
                status: status, headers: headers, finalURL: finalURL, contentLength: length, startOffset: 0,
                totalLength: length)
        if let expected = request.expectedLength, let total = response.totalLength, total != expected {
            throw HTTPClientError(
                .wrongLength,
                "\(place) is \(total) bytes long, but \(expected) were announced. The server's copy and its manifest "
                    + "do not fit each other.")
        }
        return response
    }

    private func bodyLength(_ headers: HTTPHeaders) -> Int64? {
        guard headers["Transfer-Encoding"] == nil else { return nil }
        return headers["Content-Length"].flatMap(ContentRange.number)
    }

    private func partial(
        _ headers: HTTPHeaders, _ finalURL: String, _ length: Int64?
    ) throws(HTTPClientError) -> HTTPResponse {
        func bad(_ what: String) -> HTTPClientError {
            HTTPClientError(
                .badResponse,
                "\(DisplayURL.text(finalURL)) answered a request for the bytes from \(request.firstByte) with \(what).")
        }
        guard request.rangeField != nil else {
            throw HTTPClientError(
                .badResponse, "\(DisplayURL.text(finalURL)) sent a part (206) although the whole was asked for.")
        }
        // A server that knows nothing of If-Range sends a part of whatever the file is now.
        if let wanted = request.ifRange, wanted.hasPrefix("\""), let etag = headers["ETag"], etag != wanted {
            throw bad("a part of another file: \(etag.prefix(80)) instead of \(wanted.prefix(80))")
        }
        if request.ranges.count > 1, let boundary = MultipartBoundary(headers["Content-Type"] ?? "") {
            return HTTPResponse(
                status: 206, headers: headers, finalURL: finalURL, contentLength: length, startOffset: 0,
                totalLength: nil, boundary: boundary.text)
        }
        guard let field = headers["Content-Range"] else {
            throw bad("a part (206) that does not say which (Content-Range)")
        }
        guard let range = ContentRange(field), let bounds = range.bounds else {
            throw bad("a part that cannot be placed (Content-Range: \(field.prefix(80)))")
        }
        guard bounds.lowerBound == request.firstByte else { throw bad("the bytes from \(bounds.lowerBound)") }
        if request.ranges.isEmpty, let total = range.total, bounds.upperBound != total - 1 {
            throw bad("only those up to \(bounds.upperBound) of \(total)")
        }
        let count = bounds.upperBound - bounds.lowerBound + 1
        guard length == nil || length == count else {
            throw bad("\(length ?? 0) bytes where the part it names has \(count)")
        }
        return HTTPResponse(
            status: 206, headers: headers, finalURL: finalURL, contentLength: length ?? count,
            startOffset: bounds.lowerBound,
            totalLength: range.total ?? (request.ranges.isEmpty ? bounds.upperBound + 1 : nil))
    }

    private func refused(
        _ status: Int, _ headers: HTTPHeaders, _ place: String, _ finalURL: String
    ) -> HTTPClientError {
        let words =
            switch status {
            case 401: "asks for a login (401)"
            case 403: "refuses access (403)"
            case 404: "has nothing there (404)"
            case 410: "no longer has it (410)"
            case 416: "has no byte \(request.firstByte) (416): the file is shorter now"
            case 429: "is asked too often (429)"
            case 500...599: "has trouble of its own (\(status))"
            default: "answered with status \(status)"
            }
        return HTTPClientError(
            .status, "The server of \(place) \(words).", status: status,
            retryAfter: headers["Retry-After"].flatMap(ResponseCheck.delay),
            challenge: status == 401 && request.authentication != nil
                ? HTTPChallenge(origin: HTTPOrigin(finalURL), headers) : nil)
    }

    /// A `Retry-After` field: seconds or a date. At most a day is believed.
    static func delay(_ field: String) -> Duration? {
        let day: Int64 = 86_400
        if let seconds = ContentRange.number(field) { return .seconds(min(seconds, day)) }
        let date = larder_curl_getdate(field)
        guard date >= 0 else { return nil }
        return .seconds(max(0, min(Int64(date) - Int64(time(nil)), day)))
    }
}
