// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
package import Kit

extension S3Client {
    /// Every part of an upload but the last must have so many bytes at least, and there may be so many of them.
    package static let smallestPart: Int64 = 5 << 20
    package static let mostParts: Int64 = 10_000

    /// A part that has arrived.
    package struct Part: Hashable, Sendable {
        package let number: Int
        /// In bytes.
        package let size: Int64
        /// As the store writes it, with its quotes; the part's MD5 unless the store encrypts with keys of its own.
        package let entityTag: String
        package let changed: Timestamp?

        package init(number: Int, size: Int64, entityTag: String, changed: Timestamp? = nil) {
            self.number = number
            self.size = size
            self.entityTag = entityTag
            self.changed = changed
        }
    }

    /// An upload in parts that was neither completed nor given up.
    package struct OpenUpload: Hashable, Sendable {
        /// Without the location's prefix.
        package let key: String
        package let id: String
        package let begun: Timestamp?
    }

    /// Begins an upload in parts; its identifier.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func beginUpload(
        of key: String, headers: [(name: String, value: String)] = [("Content-Type", "application/octet-stream")]
    ) async throws -> String {
        let call = Call(
            method: .post, key: key, query: [("uploads", "")], headers: headers, body: HTTPRequestBody([]),
            purpose: "be uploaded")
        guard let id = XMLElement.parse(try await send(call).body)?.text("UploadId"), !id.isEmpty else {
            throw notUnderstood(call)
        }
        return id
    }

    /// Where a part is to be sent to, and with which length.
    /// - Parameter seconds: how long the address is good for, at most seven days.
    package func partAddress(of key: String, upload: String, number: Int, length: Int64, seconds: Int64) -> String {
        address(
            "PUT", key, query: [("partNumber", "\(number)"), ("uploadId", upload)],
            headers: [("content-length", "\(length)")], seconds: seconds)
    }

    /// Sends a part; its entity tag.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    func send(_ body: HTTPRequestBody, digest: Digest, asPart number: Int, of key: String, upload: String) async throws
        -> String
    {
        let call = Call(
            method: .put, key: key, query: [("partNumber", "\(number)"), ("uploadId", upload)], body: body,
            payload: digest.hex, purpose: "be uploaded")
        guard let tag = try await send(call).head.etag else { throw notUnderstood(call) }
        return tag
    }

    /// The parts that have arrived, in their order.
    /// - Throws: `ObjectStorageError`, with `noUpload` when the upload is over; `CancellationError`
    package func parts(of key: String, upload: String) async throws -> [Part] {
        var parts: [Part] = []
        var marker: String?
        repeat {
            var call = Call(method: .get, key: key, query: [("uploadId", upload)], purpose: "be uploaded")
            if let marker { call.query.append(("part-number-marker", marker)) }
            guard let page = XMLElement.parse(try await send(call).body), page.name == "ListPartsResult" else {
                throw notUnderstood(call)
            }
            for element in page.all("Part") {
                guard let number = element.text("PartNumber").flatMap({ Int($0) }),
                    let size = element.text("Size").flatMap({ Int64($0) }), let tag = element.text("ETag")
                else { throw notUnderstood(call) }
                parts.append(
                    Part(
                        number: number, size: size, entityTag: tag,
                        changed: element.text("LastModified").flatMap { Timestamp(rfc3339: $0) }))
            }
            marker = page.text("IsTruncated") == "true" ? page.text("NextPartNumberMarker") : nil
        } while marker != nil
        return parts.sorted { $0.number < $1.number }
    }

    /// Puts the parts together to the object.
    /// - Throws: `ObjectStorageError`, with `noUpload` when the upload is over, `changed` when a part is not what it was;
    ///   `CancellationError`
    package func completeUpload(_ upload: String, of key: String, _ parts: [Part]) async throws {
        let list = parts.map {
            "<Part><PartNumber>\($0.number)</PartNumber><ETag>\(Self.escaped($0.entityTag))</ETag></Part>"
        }
        let body = Array(
            """
            <CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\(list.joined())\
            </CompleteMultipartUpload>
            """.utf8)
        _ = try await send(
            Call(
                method: .post, key: key, query: [("uploadId", upload)], headers: [("Content-Type", "application/xml")],
                body: HTTPRequestBody(body), payload: SHA256.hash(body).hex, silence: Self.work,
                purpose: "be completed"))
    }

    /// Gives an upload up, and its parts; one that is over already is no error.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func abortUpload(_ upload: String, of key: String) async throws {
        do {
            _ = try await send(
                Call(method: .delete, key: key, query: [("uploadId", upload)], purpose: "be given up"))
        } catch let error as ObjectStorageError where [.notFound, .noUpload].contains(error.code) {}
    }

    /// The uploads in parts of keys that begin so.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func openUploads(_ beginning: String) async throws -> [OpenUpload] {
        var uploads: [OpenUpload] = []
        var markers: [(name: String, value: String)] = []
        repeat {
            let call = Call(
                method: .get, key: nil, query: [("uploads", ""), ("prefix", location.prefix + beginning)] + markers,
                purpose: "be searched for uploads")
            let answer: [UInt8]
            do {
                answer = try await send(call).body
            } catch let error as ObjectStorageError where error.code == .noUpload {
                // How some stores say that there are none.
                return uploads
            }
            guard let page = XMLElement.parse(answer), page.name == "ListMultipartUploadsResult" else {
                throw notUnderstood(call)
            }
            for element in page.all("Upload") {
                guard let key = element.text("Key"), let id = element.text("UploadId"),
                    key.hasPrefix(location.prefix + beginning)
                else { continue }
                uploads.append(
                    OpenUpload(
                        key: String(key.dropFirst(location.prefix.count)), id: id,
                        begun: element.text("Initiated").flatMap { Timestamp(rfc3339: $0) }))
            }
            markers = []
            if page.text("IsTruncated") == "true", let key = page.text("NextKeyMarker") {
                markers = [("key-marker", key), ("upload-id-marker", page.text("NextUploadIdMarker") ?? "")]
            }
        } while !markers.isEmpty
        return uploads
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
