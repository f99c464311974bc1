// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import Kit
package import System

extension S3Client {
    private static let bufferSize = 1 << 20

    /// Sends a file; memory does not grow with its size. What was begun is given up when it fails.
    /// - Throws: `ObjectStorageError`, `CancellationError`
    package func put(
        _ path: FilePath, at key: String,
        headers: [(name: String, value: String)] = [("Content-Type", "application/octet-stream")]
    ) async throws {
        let file = try await opened(path)
        guard file.size > sizes.singlePiece else {
            let digest = try await file.digest(0..<file.size)
            _ = try await send(
                Call(
                    method: .put, key: key, headers: headers, body: file.body(0..<file.size), payload: digest.hex,
                    purpose: "be written"))
            return
        }
        let upload = try await beginUpload(of: key, headers: headers)
        do {
            let size = max(sizes.part, (file.size / Self.mostParts + 1 + 0xFFFFF) & ~0xFFFFF)
            var parts: [Part] = []
            var offset: Int64 = 0
            while offset < file.size {
                let range = offset..<min(offset + size, file.size)
                let digest = try await file.digest(range)
                let tag = try await send(
                    file.body(range), digest: digest, asPart: parts.count + 1, of: key, upload: upload)
                parts.append(Part(number: parts.count + 1, size: Int64(range.count), entityTag: tag))
                offset = range.upperBound
            }
            try await completeUpload(upload, of: key, parts)
        } catch {
            // Cancelled or not, it is to be given up; what does not succeed here is swept later.
            try? await Task { try await waiting(.foreground).abortUpload(upload, of: key) }.value
            throw error
        }
    }

    private func opened(_ path: FilePath) async throws -> SourceFile {
        do {
            return try await offload { try SourceFile(path) }
        } catch {
            throw ObjectStorageError(.file, "\(path) cannot be read to be sent to \(location).", cause: error)
        }
    }

    /// Takes an object's bytes in their order.
    package typealias Sink = @Sendable (UnsafeRawBufferPointer) throws -> Void

    /// Reads an object to its end, piece by piece. A connection that breaks is followed by another that goes on where it ended,
    /// and what comes is always of one and the same object.
    /// - Parameter sink: called on a thread that may block.
    /// - Returns: what the store says of the object.
    /// - Throws: `ObjectStorageError`, `CancellationError`, and what `sink` throws.
    package func read(_ key: String, into sink: @escaping Sink) async throws -> Object {
        var retries = Retries()
        let state = Locked((position: Int64(0), tag: String?.none, size: Int64(0)))
        while true {
            await refreshCredentials()
            let call = Call(method: .get, key: key, purpose: "be read")
            let (position, tag) = state.withLock { ($0.position, $0.tag) }
            var request = signed(call)
            request.takesEveryStatus = false
            request.rangeStart = position > 0 ? position : nil
            request.ifRange = tag
            let download = http.start(request)
            do {
                let head = try await download.head()
                guard head.startOffset == position, tag == nil || head.etag == tag else {
                    throw ObjectStorageError(.changed, "\(failed(call)): it changed while it was read.")
                }
                state.withLock { state in
                    state.tag = head.resumeValidator
                    state.size = head.totalLength ?? state.size
                }
                try await withTaskCancellationHandler {
                    try await offload {
                        while try download.read(
                            atMost: Self.bufferSize,
                            { bytes in
                                do {
                                    try sink(bytes)
                                } catch {
                                    throw SinkFailure(error: error)
                                }
                                state.withLock { $0.position += Int64(bytes.count) }
                            }) > 0
                        {}
                    }
                } onCancel: {
                    download.cancel()
                }
                let (end, entityTag) = state.withLock { ($0.position, $0.tag) }
                return Object(key: key, size: end, entityTag: entityTag ?? "", changed: nil)
            } catch let error as SinkFailure {
                throw error.error
            } catch let error as HTTPClientError {
                if error.code == .cancelled { throw CancellationError() }
                if state.withLock({ $0.position }) > position { retries.reset() }
                let wait =
                    error.isTransient
                    ? retries.next(policy, wish: error.retryAfter, isUnreachable: error.isUnreachable) : nil
                guard let wait else {
                    if let status = error.status {
                        throw S3Failure(status: status, body: []).error(failed(call), at: location)
                    }
                    throw unreachable(call, error)
                }
                try await Task.sleep(for: wait)
            }
        }
    }

    /// Keeps errors of the sink apart from those of the connection.
    private struct SinkFailure: Error {
        let error: any Error
    }
}

/// A file that is being sent.
private final class SourceFile: Sendable {
    let size: Int64
    private let file: OwnedDescriptor

    init(_ path: FilePath) throws {
        file = try OwnedDescriptor(path, .readOnly)
        size = try file.borrowed.status().size
    }

    func body(_ range: Range<Int64>) -> HTTPRequestBody {
        // Keeps the file open for as long as the network thread may read.
        HTTPRequestBody(length: Int64(range.count)) { buffer, offset in
            try self.file.borrowed.read(fromAbsoluteOffset: range.lowerBound + offset, into: buffer)
        }
    }

    func digest(_ range: Range<Int64>) async throws -> Digest {
        try await offload {
            var digest = SHA256()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
            defer { buffer.deallocate() }
            var position = range.lowerBound
            while position < range.upperBound {
                let wanted = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(buffer.count, Int(range.upperBound - position))])
                let count = try self.file.borrowed.read(fromAbsoluteOffset: position, into: wanted)
                guard count > 0 else { break }
                digest.update(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
                position += Int64(count)
            }
            return digest.finish()
        }
    }
}
