// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The chunks of a PNG image that say when it was made: `tIME`, and texts whose keyword is one for times.
enum PNGStamps {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The image without them; nil for what is no whole image, has something behind its end, or is signed (`dSIG`). Every chunk has its own checksum, so that those that stay
    /// keep theirs.
    static func removed(from bytes: [UInt8]) -> [UInt8]? {
        guard bytes.starts(with: signature) else { return nil }
        var result = signature
        result.reserveCapacity(bytes.count)
        var rest = bytes[signature.count...]
        var isFirst = true
        while true {
            guard rest.count >= 12 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length < 1 << 31, length <= rest.count - 12 else { return nil }
            let chunk = rest.prefix(12 + length)
            let type = Array(chunk.dropFirst(4).prefix(4))
            let data = chunk.dropFirst(8).prefix(length)
            guard !isFirst || type == Array("IHDR".utf8) else { return nil }
            isFirst = false
            if type == Array("dSIG".utf8) { return nil }
            if !isStamp(type, data) { result += chunk }
            rest = rest.dropFirst(chunk.count)
            if type == Array("IEND".utf8) { return rest.isEmpty ? result : nil }
        }
    }

    private static func isStamp(_ type: [UInt8], _ data: ArraySlice<UInt8>) -> Bool {
        switch String(decoding: type, as: UTF8.self) {
        case "tIME": return true
        case "tEXt", "zTXt", "iTXt":
            // A keyword has 1 to 79 bytes and ends with a zero.
            guard let end = data.prefix(80).firstIndex(of: 0) else { return false }
            let keyword = String(decoding: data[..<end], as: UTF8.self).lowercased()
            return keyword.hasPrefix("date:") || keywords.contains(keyword)
        default: return false
        }
    }

    /// The specification's own, and those of common tools.
    private static let keywords: Set<String> = [
        "creation time", "create-date", "modify-date", "date", "timestamp", "modification time",
    ]
}
