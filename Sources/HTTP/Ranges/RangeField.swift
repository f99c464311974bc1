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

    let items: [Item]

    /// nil for another unit and for what breaks the grammar; both are to be ignored.
    init?(_ field: String) {
        guard let equals = field.firstIndex(of: "="), HTTPHeaders.same(field[..<equals].trimmedSpaces, "bytes") else {
            return nil
        }
        var items: [Item] = []
        for part in field[field.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false) {
            let text = part.trimmedSpaces
            if text.isEmpty { continue }
            guard let item = RangeField.item(text) else { return nil }
            items.append(item)
        }
        guard !items.isEmpty else { return nil }
        self.items = items
    }

    private static func item(_ text: Substring) -> Item? {
        guard let dash = text.firstIndex(of: "-") else { return nil }
        let head = text[..<dash]
        let tail = text[text.index(after: dash)...]
        if head.isEmpty { return ContentRange.number(tail).map(Item.last) }
        guard let first = ContentRange.number(head) else { return nil }
        if tail.isEmpty { return .from(first, to: nil) }
        guard let last = ContentRange.number(tail), first <= last else { return nil }
        return .from(first, to: last)
    }

    /// The stretches of a resource of `size` bytes that are asked for and exist.
    func resolved(size: Int64) -> [Range<Int64>] {
        items.compactMap { item in
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
