// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// A letter of plain text.
package struct MailMessage: Hashable, Sendable {
    /// Addresses without names: `larder@example.com`.
    package let from: String
    package let to: [String]
    package let subject: String
    /// Lines end in `\n`.
    package let text: String
    package let date: Timestamp
    /// Tells this letter from all others, without the sender's domain.
    package let id: String

    package init(from: String, to: [String], subject: String, text: String, date: Timestamp, id: String) {
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.date = date
        self.id = id
    }

    /// The letter as it goes over the wire (RFC 5322), in 7 bits. Nothing in its parts makes another field of it.
    package var wire: [UInt8] {
        let domain = from.split(separator: "@").last.map(String.init) ?? "localhost"
        let fields = [
            "Date: \(Self.date(date))", "From: \(Self.oneLine(from))",
            "To: \(to.map(Self.oneLine).joined(separator: ", "))", "Subject: \(Self.encodedWords(subject))",
            "Message-ID: <\(Self.oneLine(id))@\(Self.oneLine(domain))>", "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
        ]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { Self.quotedPrintable($0) }
        return Array((fields + [""] + lines).map { $0 + "\r\n" }.joined().utf8)
    }

    /// Whether a text can stand as an address on the wire.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>(),;:\\\"[]".utf8.contains($0) }
    }

    // MARK: Pieces

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }))
    }

    /// A header's text in encoded words (RFC 2047), each with whole characters; as it is when it is plain.
    private static func encodedWords(_ text: String) -> String {
        if text.utf8.count <= 60, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), !text.contains("=?") {
            return text
        }
        var words: [String] = []
        var word = ""
        for character in text {
            let piece = character.utf8.map { escaped($0, plain: isPlainInWord($0)) }.joined()
            if !word.isEmpty, word.utf8.count + piece.utf8.count > 60 {
                words.append(word)
                word = ""
            }
            word += piece
        }
        words.append(word)
        return words.map { "=?utf-8?Q?\($0)?=" }.joined(separator: "\r\n ")
    }

    private static func isPlainInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func escaped(_ byte: UInt8, plain: Bool) -> String {
        plain ? String(UnicodeScalar(byte)) : "=" + Hexadecimal.encode([byte]).uppercased()
    }

    /// A line of text in lines of at most 76 (RFC 2045, 6.7).
    private static func quotedPrintable(_ line: Substring) -> [String] {
        var lines: [String] = []
        var current = ""
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "=") || byte == 0x20 && !isLast
            let piece = escaped(byte, plain: isPlain)
            if current.utf8.count + piece.utf8.count > 75 {
                lines.append(current + "=")
                current = ""
            }
            current += piece
        }
        return lines + [current]
    }

    /// `21 Nov 2026 23:10:34 +0000`
    private static func date(_ time: Timestamp) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = time.formatted
        let parts = text.prefix { $0 != "T" }.split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), (1...12).contains(month) else { return text }
        return "\(parts[2]) \(months[month - 1]) \(parts[0]) \(text.dropFirst(11).prefix(8)) +0000"
    }
}
