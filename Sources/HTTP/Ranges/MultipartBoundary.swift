// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What stands between the parts of a `multipart/byteranges` body (RFC 9110, 14.6; RFC 2046, 5.1.1).
struct MultipartBoundary: Equatable {
    /// From 1 to 70 characters.
    let text: String

    /// - Parameter contentType: the value of a `Content-Type` field; nil for another type, or a boundary out of bounds.
    init?(_ contentType: String) {
        let pieces = contentType.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmedSpaces)
        guard let type = pieces.first, HTTPHeaders.same(type, "multipart/byteranges") else { return nil }
        for piece in pieces.dropFirst() {
            guard let equals = piece.firstIndex(of: "="),
                HTTPHeaders.same(piece[..<equals].trimmedSpaces, "boundary")
            else { continue }
            var value = piece[piece.index(after: equals)...].trimmedSpaces
            if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
            guard (1...70).contains(value.utf8.count),
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") })
            else { return nil }
            text = String(value)
            return
        }
        return nil
    }
}
