// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Testing

@Suite struct TimestampParsingTests {
    @Test(arguments: [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"), ("2026-01-31T12:00:00.25Z", "2026-01-31T12:00:00.250Z"),
        ("2026-01-31T12:00:00.123456789123Z", "2026-01-31T12:00:00.123Z"),
        ("2026-01-31T01:30:00+02:00", "2026-01-30T23:30:00.000Z"), ("2024-02-29t00:00:00z", "2024-02-29T00:00:00.000Z"),
        ("1969-12-31T16:00:00-08:00", "1970-01-01T00:00:00.000Z"),
    ])
    func readsWhatTheStandardWrites(text: String, same: String) {
        #expect(Timestamp(rfc3339: text)?.formatted == same)
    }

    @Test(arguments: [
        "", "2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-13-01T00:00:00Z", "2026-01-31T24:00:00Z",
        "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+2:00", "2026-01-31T12:00:00ZZ", "26-01-31T12:00:00Z", "yesterday",
        "２０２６-01-31T12:00:00Z",
    ])
    func refusesAnythingElse(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
