// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The times of a zip file's members, in its local heads, its directory, and the extra fields of both.
enum ZipStamps {
    static let localSignature: [UInt8] = [0x50, 0x4B, 3, 4]
    private static let directorySignature: [UInt8] = [0x50, 0x4B, 1, 2]
    private static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]
    /// What stands before the directory of an Android package that is signed as a whole.
    private static let signingBlock = Array("APK Sig Block 42".utf8)

    private static let localSize = 30
    private static let directorySize = 46
    private static let endSize = 22

    /// 1 January 1980, 0:00, the earliest time that a zip file can say: as DOS, Unix and Windows write it.
    private static let dosTime: [UInt8] = [0, 0, 0x21, 0]
    private static let unixTime = littleEndian(315_532_800, 4)
    private static let windowsTime = littleEndian(119_600_064_000_000_000, 8)

    /// The file with every time set to the same; nil for what is no whole zip file, has the forms for large ones, or is
    /// encrypted or signed as a whole.
    static func fixed(in bytes: [UInt8]) -> [UInt8]? {
        guard let end = end(of: bytes) else { return nil }
        let members = number(bytes, end + 10, 2)
        let size = number(bytes, end + 12, 4)
        let start = number(bytes, end + 16, 4)
        guard number(bytes, end + 4, 4) == 0, number(bytes, end + 8, 2) == members, members < 0xFFFF,
            start < 0xFFFF_FFFF, start <= end, size == end - start,
            start < signingBlock.count || Array(bytes[(start - signingBlock.count)..<start]) != signingBlock
        else { return nil }
        var result = bytes
        var place = start
        var localHeads: Set<Int> = []
        for _ in 0..<members {
            guard place <= end - directorySize, bytes[place...].starts(with: directorySignature) else { return nil }
            let name = number(bytes, place + 28, 2)
            let extra = number(bytes, place + 30, 2)
            let length = directorySize + name + extra + number(bytes, place + 32, 2)
            let head = number(bytes, place + 42, 4)
            guard length <= end - place, number(bytes, place + 8, 2) & 1 == 0, localHeads.insert(head).inserted,
                fixLocalHead(
                    at: head, before: start, name: bytes[(place + directorySize)..<(place + directorySize + name)],
                    &result)
            else { return nil }
            put(dosTime, at: place + 12, &result)
            let extraStart = place + directorySize + name
            guard fixExtra(extraStart..<extraStart + extra, &result) else { return nil }
            place += length
        }
        return place == end ? result : nil
    }

    /// Where the record at the file's end begins; only a comment may follow it, to the last byte.
    private static func end(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= endSize else { return nil }
        for place in stride(from: bytes.count - endSize, through: max(0, bytes.count - endSize - 0xFFFF), by: -1)
        where bytes[place] == endSignature[0] && bytes[place...].starts(with: endSignature) {
            return number(bytes, place + 20, 2) == bytes.count - endSize - place ? place : nil
        }
        return nil
    }

    private static func fixLocalHead(
        at place: Int, before end: Int, name: ArraySlice<UInt8>, _ bytes: inout [UInt8]
    ) -> Bool {
        guard place <= end - localSize, bytes[place...].starts(with: localSignature) else { return false }
        let nameSize = number(bytes, place + 26, 2)
        let extra = number(bytes, place + 28, 2)
        // The same name in both places: what is changed here is the member's head, not bytes that look like one.
        guard localSize + nameSize + extra <= end - place,
            bytes[(place + localSize)..<(place + localSize + nameSize)].elementsEqual(name)
        else { return false }
        put(dosTime, at: place + 10, &bytes)
        let start = place + localSize + nameSize
        return fixExtra(start..<start + extra, &bytes)
    }

    /// Sets the times in a list of extra fields; false when that is malformed.
    private static func fixExtra(_ range: Range<Int>, _ bytes: inout [UInt8]) -> Bool {
        var place = range.lowerBound
        while place < range.upperBound {
            guard range.upperBound - place >= 4 else { return false }
            let size = number(bytes, place + 2, 2)
            let data = place + 4..<place + 4 + size
            guard data.upperBound <= range.upperBound else { return false }
            switch number(bytes, place, 2) {
            case 0x5455:
                // A byte of flags, then seconds, 4 bytes each.
                for time in stride(from: data.lowerBound + 1, through: data.upperBound - 4, by: 4) {
                    put(unixTime, at: time, &bytes)
                }
            case 0x5855 where size >= 8:
                // The older form: when it was read and changed; in local heads owner and group follow.
                put(unixTime + unixTime, at: data.lowerBound, &bytes)
            case 0x000A where size >= 8:
                // Four bytes that say nothing, then attributes, of which number 1 has three times.
                var attribute = data.lowerBound + 4
                while data.upperBound - attribute >= 4 {
                    let length = number(bytes, attribute + 2, 2)
                    guard length <= data.upperBound - attribute - 4 else { return false }
                    if number(bytes, attribute, 2) == 1 {
                        for time in stride(from: attribute + 4, through: attribute + 4 + length - 8, by: 8) {
                            put(windowsTime, at: time, &bytes)
                        }
                    }
                    attribute += 4 + length
                }
            default: break
            }
            place = data.upperBound
        }
        return true
    }

    private static func put(_ value: [UInt8], at place: Int, _ bytes: inout [UInt8]) {
        bytes.replaceSubrange(place..<place + value.count, with: value)
    }

    /// A number of at most 4 bytes; the caller knows that they are there.
    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
