// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

extension Timestamp {
    /// Reads a time as RFC 3339 writes it: `2026-01-31T12:00:00Z`, with a fraction of the second or not, and `+02:00` for `Z`.
    /// nil for anything else.
    package init?(rfc3339 text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int? {
            let part = rest.prefix(digits)
            guard part.count == digits, part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return nil
            }
            rest = rest.dropFirst(digits)
            return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        func take(_ choices: String) -> UInt8? {
            guard let byte = rest.first, choices.utf8.contains(byte) else { return nil }
            rest = rest.dropFirst()
            return byte
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take("Tt ") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var nanoseconds: Int32 = 0
        if take(".") != nil {
            var scale: Int32 = 100_000_000
            guard rest.first.map({ (0x30...0x39).contains($0) }) == true else { return nil }
            while let digit = number(1) {
                nanoseconds += Int32(digit) * scale
                scale /= 10
            }
        }
        var offset = 0
        if take("Zz") == nil {
            guard let sign = take("+-"), let hours = number(2), take(":") != nil, let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        var fields = tm()
        fields.tm_year = Int32(year - 1900)
        fields.tm_mon = Int32(month - 1)
        fields.tm_mday = Int32(day)
        fields.tm_hour = Int32(hour)
        fields.tm_min = Int32(minute)
        fields.tm_sec = Int32(second)
        let seconds = Int64(timegm(&fields))
        // A day that its month has not would have become another one.
        guard fields.tm_mday == Int32(day) || second == 60 else { return nil }
        self.init(seconds: seconds - Int64(offset), nanoseconds: nanoseconds)
    }
}
