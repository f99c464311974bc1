// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Writes LZBITMAP streams that use every feature of the format, without care for size; distances are drawn at random.
package enum LZBitmapEncoder {
    private struct Operation: Hashable {
        var mask: UInt8
        var distanceBytes: Int
    }

    package static func encode(_ content: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var result = Array("ZBM\t".utf8)
        var start = 0
        while start < content.count {
            let end = min(content.count, start + Int.random(in: 1...1 << 15, using: &generator))
            let isPlain = Int.random(in: 0...5, using: &generator) == 0
            result += isPlain ? plain(Array(content[start..<end])) : compressed(content, start..<end, &generator)
            start = end
        }
        return result + plain([])
    }

    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        little(UInt64(bytes.count + 6), 3) + little(UInt64(bytes.count), 3) + bytes
    }

    private static func compressed(
        _ content: [UInt8], _ range: Range<Int>, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var literals: [UInt8] = []
        var distances: [UInt8] = []
        var operations: [Operation] = []
        var distance = 8
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let next = start == 0 ? 8 : chooseDistance(content, start, distance, &generator)
            var operation = Operation(mask: 0, distanceBytes: next == distance ? 0 : next < 256 ? 1 : 2)
            distances += little(UInt64(next), operation.distanceBytes)
            distance = next
            for position in start..<min(start + 8, range.upperBound) {
                guard position < distance || content[position] != content[position - distance] else { continue }
                operation.mask |= 1 << UInt8(position - start)
                literals.append(content[position])
            }
            operations.append(operation)
        }
        return assemble(range.count, literals, distances, operations)
    }

    private static func chooseDistance(
        _ content: [UInt8], _ start: Int, _ current: Int, _ generator: inout SeededGenerator
    ) -> Int {
        let group = content[start..<min(start + 8, content.count)]
        func cost(_ distance: Int) -> Int {
            group.indices.count { $0 < distance || content[$0] != content[$0 - distance] }
        }
        var best = current
        for _ in 0..<6 {
            let other = Int.random(in: 1...min(start, 65535), using: &generator)
            if cost(other) < cost(best) { best = other }
        }
        return best
    }

    private static func assemble(
        _ size: Int, _ literals: [UInt8], _ distances: [UInt8], _ operations: [Operation]
    ) -> [UInt8] {
        let counts = Dictionary(operations.map { ($0, 1) }, uniquingKeysWith: +)
        let order = counts.sorted {
            ($0.value, $0.key.mask, $0.key.distanceBytes) > ($1.value, $1.key.mask, $1.key.distanceBytes)
        }
        let common = order.prefix(12).map(\.key)
        var masks: [UInt8] = []
        let steps = operations.map { operation -> UInt8 in
            if let index = common.firstIndex(of: operation) { return UInt8(index + 3) }
            masks.append(operation.mask)
            return UInt8(operation.distanceBytes)
        }
        var halves: [UInt8] = []
        var index = 0
        while index < steps.count {
            let run = steps[index...].prefix { $0 == steps[index] }.count
            halves.append(steps[index])
            if run < 4 {
                index += 1
                continue
            }
            halves.append(15)
            var more = run - 4
            while more >= 15 {
                halves.append(15)
                more -= 15
            }
            halves.append(UInt8(more))
            index += run
        }
        if halves.count % 2 == 1 { halves.append(0) }
        var tail = [UInt8](repeating: 0, count: 17)
        for (number, operation) in common.enumerated() {
            let value = Int(operation.mask) | operation.distanceBytes << 8
            for bit in 0..<10 where value >> bit & 1 == 1 {
                tail[(10 * number + bit) / 8] |= 1 << UInt8((10 * number + bit) % 8)
            }
        }
        let packed = stride(from: 0, to: halves.count, by: 2).map { halves[$0] | halves[$0 + 1] << 4 }
        let first = 15 + literals.count
        let offsets = [first, first + distances.count, first + distances.count + masks.count]
        let body = literals + distances + masks + packed + tail
        return little(UInt64(15 + body.count), 3) + little(UInt64(size), 3) + offsets.flatMap { little(UInt64($0), 3) }
            + body
    }
}

/// The low bytes of a number, least significant first.
private func little(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
}
