// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The head of a server's final answer, after redirects, checked against what was asked.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    /// The address that answered, after redirects.
    package let finalURL: String
    /// Bytes in this answer's body; nil when the server does not say.
    package let contentLength: Int64?
    /// Where the body's first byte belongs in the resource. 0 although a later start was asked: the server sends the
    /// whole, and what was fetched before is void.
    package let startOffset: Int64
    /// Bytes in the whole resource; nil when the server does not say.
    package let totalLength: Int64?
    /// What stands between the parts of a body that has several (`multipart/byteranges`); nil for one stretch, or the whole.
    var boundary: String?

    /// The ETag field as the server wrote it.
    package var etag: String? { headers["ETag"] }

    /// What a later `HTTPRequest.ifRange` may name: a strong ETag, else the date of the last change.
    package var resumeValidator: String? {
        if let etag, etag.hasPrefix("\"") { return etag }
        return headers["Last-Modified"]
    }
}
