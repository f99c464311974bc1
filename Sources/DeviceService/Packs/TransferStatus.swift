// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A download that is under way, waits, or failed.
package struct TransferStatus: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case queued, downloading, paused, waiting, unpacking, failed
    }

    package var app: String
    package var pack: String
    package var version: Int
    package var kind: FetchKind
    package var state: State
    /// Bytes of the archive that are here, and that there will be.
    package var downloaded: Int64
    package var expected: Int64
    package var bytesPerSecond: Double
    package var lastError: String?
    /// Why it does not take its turn.
    package var hold: HoldReason?
    /// Whether the version that is local is fetched once more.
    package var isRepair: Bool

    package init(
        app: String, pack: String, version: Int, kind: FetchKind, state: State, downloaded: Int64, expected: Int64,
        bytesPerSecond: Double, lastError: String? = nil, hold: HoldReason? = nil, isRepair: Bool = false
    ) {
        self.app = app
        self.pack = pack
        self.version = version
        self.kind = kind
        self.state = state
        self.downloaded = downloaded
        self.expected = expected
        self.bytesPerSecond = bytesPerSecond
        self.lastError = lastError
        self.hold = hold
        self.isRepair = isRepair
    }
}
