// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
package import Kit

extension S3Client {
    /// What a store says of an object.
    package struct Object: Hashable, Sendable {
        /// Without the location's prefix.
        package let key: String
        /// In bytes.
        package let size: Int64
        /// As the store writes it, with its quotes.
        package let entityTag: String
        /// When it was written; nil where that was not said.
        package let changed: Timestamp?
    }

    /// nil when there is no such object.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func object(_ key: String) async throws -> Object? {
        do {
            let (head, _) = try await send(Call(method: .head, key: key, purpose: "be looked at"))
            return Object(
                key: key, size: head.headers["Content-Length"].flatMap { Int64($0) } ?? 0, entityTag: head.etag ?? "",
                changed: nil)
        } catch let error as ObjectStorageError where error.code == .notFound {
            return nil
        }
    }

    /// Writes a short object.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func put(_ bytes: [UInt8], at key: String, contentType: String = "application/octet-stream") async throws {
        _ = try await send(
            Call(
                method: .put, key: key, headers: [("Content-Type", contentType)], body: HTTPRequestBody(bytes),
                payload: SHA256.hash(bytes).hex, purpose: "be written"))
    }

    /// The bytes of a short object, or of a part of one; nil when there is no such object.
    /// - Parameter range: the bytes that are wanted; all of them without.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func bytes(of key: String, _ range: Range<Int64>? = nil) async throws -> [UInt8]? {
        var call = Call(method: .get, key: key, purpose: "be read")
        if let range {
            guard !range.isEmpty else { return [] }
            call.headers.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        do {
            let (head, body) = try await send(call)
            guard range == nil || head.status == 206 else {
                throw ObjectStorageError(
                    .unavailable, "\(failed(call)): the store does not give parts of objects.")
            }
            return body
        } catch let error as ObjectStorageError where error.code == .notFound {
            return nil
        }
    }

    /// Deletes an object; one that is not there is no error.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func delete(_ key: String) async throws {
        do {
            _ = try await send(Call(method: .delete, key: key, purpose: "be deleted"))
        } catch let error as ObjectStorageError where error.code == .notFound {}
    }

    /// Has the store copy an object.
    /// - Parameters:
    ///   - entityTag: that the source must still have; nil for any.
    ///   - headers: `Content-Type`, `Cache-Control` and the like of the copy.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func copy(
        _ source: String, to key: String, ifTagIs entityTag: String? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws {
        let path = "\(location.bucket)/\(location.prefix)\(source)".split(separator: "/").map {
            PercentEncoding.encode($0)
        }
        var fields = headers
        fields.append(("x-amz-copy-source", "/" + path.joined(separator: "/")))
        fields.append(("x-amz-metadata-directive", "REPLACE"))
        if let entityTag { fields.append(("x-amz-copy-source-if-match", entityTag)) }
        _ = try await send(
            Call(
                method: .put, key: key, headers: fields, body: HTTPRequestBody([]), silence: Self.work,
                purpose: "be made as a copy"))
    }

    // MARK: Lists

    /// The objects whose keys begin so, page by page, in the order of their keys.
    /// - Throws: `ObjectStorageError`, `CancellationError`, and what `body` throws.
    package func list(_ beginning: String, _ body: (Object) async throws -> Void) async throws {
        var token: String?
        repeat {
            var call = Call(method: .get, key: nil, purpose: "be listed")
            call.query = [("list-type", "2"), ("prefix", location.prefix + beginning)]
            if let token { call.query.append(("continuation-token", token)) }
            guard let page = XMLElement.parse(try await send(call).body), page.name == "ListBucketResult" else {
                throw notUnderstood(call)
            }
            for element in page.all("Contents") {
                guard let key = element.text("Key"), key.hasPrefix(location.prefix),
                    let size = element.text("Size").flatMap({ Int64($0) })
                else { throw notUnderstood(call) }
                try await body(
                    Object(
                        key: String(key.dropFirst(location.prefix.count)), size: size,
                        entityTag: element.text("ETag") ?? "",
                        changed: element.text("LastModified").flatMap { Timestamp(rfc3339: $0) }))
            }
            token = page.text("IsTruncated") == "true" ? page.text("NextContinuationToken") : nil
        } while token != nil
    }

    func notUnderstood(_ call: Call) -> ObjectStorageError {
        ObjectStorageError(
            .unavailable,
            "\(failed(call)): \(location.endpoint) does not answer as S3 does. Check the endpoint in --storage.")
    }
}
