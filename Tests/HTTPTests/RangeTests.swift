// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import TestSupport
import Testing

@testable import HTTP

@Suite struct RangeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let field: String
        let size: Int64
        let ranges: [Range<Int64>]?
        var testDescription: String { "\(field) of \(size)" }
    }

    static let cases: [Case] = [
        Case(field: "bytes=0-0", size: 10, ranges: [0..<1]),
        Case(field: "bytes=2-", size: 10, ranges: [2..<10]),
        Case(field: "bytes=2-100", size: 10, ranges: [2..<10]),
        Case(field: "bytes=-3", size: 10, ranges: [7..<10]),
        Case(field: "bytes=-30", size: 10, ranges: [0..<10]),
        Case(field: "BYTES = 0-1 , 4-5,,", size: 10, ranges: [0..<2, 4..<6]),
        Case(field: "bytes=10-", size: 10, ranges: []),
        Case(field: "bytes=-0", size: 10, ranges: []),
        Case(field: "bytes=0-", size: 0, ranges: []),
        Case(field: "bytes=0-9223372036854775807", size: 10, ranges: [0..<10]),
        Case(field: "bytes=5-2", size: 10, ranges: nil),
        Case(field: "bytes=", size: 10, ranges: nil),
        Case(field: "bytes=a-b", size: 10, ranges: nil),
        Case(field: "bytes=+1-2", size: 10, ranges: nil),
        Case(field: "bytes=1", size: 10, ranges: nil),
        Case(field: "bytes=99999999999999999999-", size: 10, ranges: nil),
        Case(field: "lines=1-2", size: 10, ranges: nil),
    ]

    @Test(arguments: cases) func isResolved(range: Case) {
        #expect(RangeField(range.field)?.resolved(size: range.size) == range.ranges)
    }

    @Test func contentRanges() {
        #expect(ContentRange("bytes 0-4/10")?.bounds == 0...4)
        #expect(ContentRange("bytes 0-4/*")?.total == nil)
        #expect(ContentRange("bytes */10")?.total == 10)
        for wrong in [
            "", "bytes", "bytes */*", "bytes 4-2/10", "bytes 0-10/10", "bytes 5-9223372036854775807/*", "bytes -1/10",
            "bytes 0-1/-5", "bits 0-1/2",
        ] {
            #expect(ContentRange(wrong) == nil, "\(wrong)")
        }
    }

    @Test func noFieldTraps() {
        var generator = SeededGenerator.forTest()
        let seed = generator.seed
        let alphabet = Array("bytes=0123456789-,*/ ")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
                })
            for range in RangeField("bytes=" + text)?.resolved(size: 1000) ?? [] {
                #expect(range.lowerBound >= 0 && range.upperBound <= 1000 && !range.isEmpty, "seed \(seed): \(text)")
            }
            if let bounds = ContentRange("bytes " + text)?.bounds {
                #expect(bounds.lowerBound >= 0, "seed \(seed): \(text)")
            }
        }
    }
}
