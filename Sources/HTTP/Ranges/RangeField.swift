// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A `Range` field of the unit `bytes` (RFC 9110, 14.1.2).
struct RangeField: Equatable {
    enum Item: Equatable {
        /// From a byte to a byte, or to the end.
        case from(Int64, to: Int64?)
        /// So many bytes at the end.
        case last(Int64)
    }

    private let items: [Item]

    /// nil for another unit and for what breaks the grammar; both are to be ignored.
    init?(_ field: String) {
        // Byte by byte: most downloads have such a field, and characters take many times as long.
        let bytes = Array(field.utf8)[...]
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            Self.trimmed(bytes[..<equals]).elementsEqual("bytes".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        var items: [Item] = []
        var rest = bytes[(equals + 1)...]
        while true {
            let comma = rest.firstIndex(of: UInt8(ascii: ","))
            let text = Self.trimmed(rest[..<(comma ?? rest.endIndex)])
            if !text.isEmpty {
                guard let item = RangeField.item(text) else { return nil }
                items.append(item)
            }
            guard let comma else { break }
            rest = rest[(comma + 1)...]
        }
        guard !items.isEmpty else { return nil }
        self.items = items
    }

    private static func item(_ text: ArraySlice<UInt8>) -> Item? {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let head = text[..<dash]
        let tail = text[(dash + 1)...]
        if head.isEmpty { return number(tail).map(Item.last) }
        guard let first = number(head) else { return nil }
        if tail.isEmpty { return .from(first, to: nil) }
        guard let last = number(tail), first <= last else { return nil }
        return .from(first, to: last)
    }

    /// Decimal digits and nothing else.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeNow) = product.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !isTooLarge, !isTooLargeNow else { return nil }
            value = sum
        }
        return value
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return bytes[start..<end]
    }

    /// The one stretch of a resource of `size` bytes that is asked for and exists; nil where it is not one.
    func single(size: Int64) -> Range<Int64>? { items.count == 1 ? Self.resolved(items[0], size) : nil }

    /// The stretches of a resource of `size` bytes that are asked for and exist.
    func resolved(size: Int64) -> [Range<Int64>] {
        items.compactMap { Self.resolved($0, size) }
    }

    private static func resolved(_ item: Item, _ size: Int64) -> Range<Int64>? {
        switch item {
        case .from(let first, let last):
            guard first < size else { return nil }
            let end = last.map { $0 < size ? $0 + 1 : size } ?? size
            return first..<end
        case .last(let count):
            guard count > 0, size > 0 else { return nil }
            return max(0, size - count)..<size
        }
    }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    var trimmedSpaces: SubSequence {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
