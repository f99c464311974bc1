// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads the header lines of one exchange, redirects and interim answers included, until the final answer's head is there.
package struct ResponseHeadParser {
    package enum Outcome {
        /// The head goes on.
        case more
        /// The end of a head that is not the final answer's: 1xx.
        case interim
        /// The end of a redirect's head that will be followed, to what it calls its `Location`.
        case redirect(location: String)
        /// The end of the final answer's head.
        case head(status: Int, headers: HTTPHeaders)
        /// A trailer behind a finished head.
        case trailer
        /// Not HTTP, or beyond all measure.
        case invalid(String)
    }

    /// Bytes of header lines that one exchange may send.
    static let limit = 256 << 10

    private var status: Int?
    private var headers = HTTPHeaders()
    private var isFinished = false
    /// Whether a redirect was among the answers.
    private(set) var sawRedirect = false
    private var bytesSeen = 0

    private let followsRedirects: Bool

    /// - Parameter followsRedirects: false makes a redirect the final answer.
    package init(followsRedirects: Bool = true) { self.followsRedirects = followsRedirects }

    /// Takes one line, with or without its line end.
    package mutating func take(_ line: UnsafeRawBufferPointer) -> Outcome {
        bytesSeen += line.count
        guard bytesSeen <= Self.limit else { return .invalid("more than \(Self.limit >> 10) KiB of header fields") }
        let text = String(decoding: line, as: UTF8.self)
        let content = trimmed(text[...])
        if content.hasPrefix("HTTP/") { return begin(content) }
        if isFinished { return .trailer }
        guard let status else { return .invalid("no status line") }
        if content.isEmpty { return end(status) }
        guard let colon = content.firstIndex(of: ":"), colon != content.startIndex else { return .more }
        headers.add(String(content[..<colon]), String(trimmed(content[content.index(after: colon)...])))
        return .more
    }

    private mutating func begin(_ line: Substring) -> Outcome {
        let words = line.split(separator: " ")
        guard words.count >= 2, let code = Int(words[1]), (100...999).contains(code) else {
            return .invalid("the status line \"\(line.prefix(80))\"")
        }
        status = code
        headers = HTTPHeaders()
        isFinished = false
        return .more
    }

    private mutating func end(_ status: Int) -> Outcome {
        if (100...199).contains(status) {
            self.status = nil
            return .interim
        }
        if followsRedirects, [301, 302, 303, 307, 308].contains(status), let location = headers["Location"] {
            self.status = nil
            sawRedirect = true
            return .redirect(location: location)
        }
        isFinished = true
        return .head(status: status, headers: headers)
    }

    private func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.drop { $0 == " " || $0 == "\t" }
    }
}
