// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Testing

@testable import DeviceService

struct PackStatusRuleTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var local: Int?
        var offered: Int?
        var relativeTo: Int?
        var isServerAsked = true
        var expected: PackStatus
    }

    @Test(arguments: [
        Case(testDescription: "nothing here", offered: 1, expected: .downloadAvailable),
        Case(testDescription: "current", local: 1, offered: 1, expected: [.downloaded, .upToDate]),
        Case(
            testDescription: "newer offered", local: 1, offered: 2,
            expected: [.downloaded, .outOfDate, .updateAvailable]),
        Case(
            testDescription: "older offered", local: 3, offered: 2,
            expected: [.downloaded, .outOfDate, .updateAvailable]),
        Case(testDescription: "gone from the server", local: 1, expected: [.downloaded, .obsolete]),
        Case(
            testDescription: "relative to what the server has left behind", local: 1, offered: 2, relativeTo: 1,
            expected: [.downloaded, .upToDate]),
        Case(
            testDescription: "relative to a version that is no longer offered", local: 1, offered: 3, relativeTo: 2,
            expected: [.downloaded, .outOfDate]),
        Case(
            testDescription: "local only, known to be old", local: 1, offered: 2, isServerAsked: false,
            expected: [.downloaded, .outOfDate]),
        Case(testDescription: "local only, current", local: 1, offered: 1, isServerAsked: false, expected: .downloaded),
        Case(testDescription: "local only, not here", offered: 1, isServerAsked: false, expected: []),
    ])
    func bitsFollowTheVersions(_ test: Case) {
        let status = PackStatusRule.status(
            local: test.local, offered: test.offered, isManifestKnown: true, relativeTo: test.relativeTo,
            isDownloading: false, isServerAsked: test.isServerAsked)
        #expect(status == test.expected)
    }

    @Test func withoutAManifestNothingIsObsolete() {
        let status = PackStatusRule.status(
            local: 1, offered: nil, isManifestKnown: false, relativeTo: nil, isDownloading: true, isServerAsked: false)
        #expect(status == [.downloaded, .downloading])
    }
}
