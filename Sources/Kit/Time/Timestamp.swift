// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// A point of wall-clock time: seconds and nanoseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Sendable, Comparable, Codable {
    package var seconds: Int64
    /// 0 ..< 1,000,000,000
    package var nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(clamping: time.tv_nsec))
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// As RFC 3339 writes it, in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.
    package var formatted: String {
        var time = time_t(seconds)
        var fields = tm()
        guard gmtime_r(&time, &fields) != nil else { return "\(seconds)" }
        func pad(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date =
            "\(pad(Int(fields.tm_year) + 1900, 4))-\(pad(Int(fields.tm_mon) + 1, 2))-\(pad(Int(fields.tm_mday), 2))"
        let clock = "\(pad(Int(fields.tm_hour), 2)):\(pad(Int(fields.tm_min), 2)):\(pad(Int(fields.tm_sec), 2))"
        return "\(date)T\(clock).\(pad(Int(nanoseconds) / 1_000_000, 3))Z"
    }
}
