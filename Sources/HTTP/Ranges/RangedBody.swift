// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The body of an answer to a request for ranges: says of its bytes where in the resource they belong.
///
/// The ranges come in the order in which they were asked for, each whole; a server may join neighbours in one part. Anything else
/// is an error, and so is an end before the last range. Of a whole resource, from a server that knows no ranges, what was not
/// asked for is passed over.
package struct RangedBody {
    /// Whether the server sends all of the resource.
    package let isWhole: Bool
    private let place: String
    private let total: Int64?
    /// What is still to come.
    private var asked: ArraySlice<Range<Int64>>
    private var multipart: MultipartReader?
    /// Of the part that is being read: its next byte, and its end.
    private var position: Int64
    private var end: Int64

    /// - Parameter head: the answer to a request with `ranges`.
    /// - Throws: `HTTPClientError` when the one part it has is not what was asked for.
    package init(_ head: HTTPResponse, request: HTTPRequest) throws(HTTPClientError) {
        place = DisplayURL.text(head.finalURL)
        asked = request.ranges[...]
        total = request.expectedLength
        isWhole = head.status == 200
        multipart = head.boundary.map { MultipartReader(boundary: $0) }
        (position, end) = (0, isWhole ? .max : 0)
        guard !isWhole, multipart == nil else { return }
        do throws(RangedBodyProblem) {
            // Both were checked against each other by `ResponseCheck`.
            let end = head.startOffset.addingReportingOverflow(head.contentLength ?? 0)
            guard !end.overflow, end.partialValue > head.startOffset else {
                throw RangedBodyProblem("a part without bytes")
            }
            try begin(head.startOffset..<end.partialValue, total: head.totalLength)
        } catch {
            throw wrap(error)
        }
    }

    /// Takes the body's next bytes.
    /// - Parameter body: called with bytes that were asked for and their offset in the resource.
    /// - Throws: `HTTPClientError` (`badResponse`), and what `body` throws.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ body: (_ offset: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        do {
            guard var reader = multipart else { return try data(bytes, body) }
            multipart = nil
            defer { multipart = reader }
            try reader.take(bytes) { event in
                switch event {
                case .part(let bounds, let total): try begin(bounds, total: total)
                case .data(let bytes): try data(bytes, body)
                }
            }
        } catch let problem as RangedBodyProblem {
            throw wrap(problem)
        }
    }

    /// The body is complete.
    /// - Throws: `HTTPClientError` (`badResponse`) when ranges are missing.
    package func finish() throws(HTTPClientError) {
        if let first = asked.first {
            throw wrap(RangedBodyProblem("\(asked.count) ranges too few, from byte \(first.lowerBound) on"))
        }
    }

    private mutating func begin(_ part: Range<Int64>, total: Int64?) throws(RangedBodyProblem) {
        if let total, let expected = self.total, total != expected {
            throw RangedBodyProblem("a part of \(total) bytes instead of \(expected)")
        }
        guard position == end, let first = asked.first, first.lowerBound == part.lowerBound,
            asked.contains(where: { $0.upperBound == part.upperBound })
        else {
            throw RangedBodyProblem("the bytes \(part.lowerBound) to \(part.upperBound - 1), which were not asked for")
        }
        (position, end) = (part.lowerBound, part.upperBound)
    }

    private mutating func data(
        _ bytes: UnsafeRawBufferPointer, _ body: (_ offset: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = bytes[...]
        guard Int64(rest.count) <= end - position else { throw RangedBodyProblem("more bytes than it announced") }
        while !rest.isEmpty {
            guard let range = asked.first else {
                position += Int64(rest.count)
                return
            }
            let gap = Int(clamping: max(0, range.lowerBound - position))
            if gap > 0 {
                let skipped = min(gap, rest.count)
                position += Int64(skipped)
                rest = rest.dropFirst(skipped)
                continue
            }
            let piece = rest.prefix(Int(clamping: range.upperBound - position))
            try body(position, UnsafeRawBufferPointer(rebasing: piece))
            position += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
            if position == range.upperBound { asked = asked.dropFirst() }
        }
    }

    private func wrap(_ problem: RangedBodyProblem) -> HTTPClientError {
        HTTPClientError(.badResponse, "\(place) answered a request for ranges of its bytes with \(problem.what).")
    }
}

/// What is wrong with such a body: the end of a sentence.
struct RangedBodyProblem: Error {
    let what: String

    init(_ what: String) { self.what = what }
}
