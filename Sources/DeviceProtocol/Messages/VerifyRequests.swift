// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads an app's local packs and says which files are not what they were; all apps' with nil.
package struct VerifyRequest: DeviceRequest {
    package static let method = "verify"
    package var app: String?
    package var pack: String?
    /// Whether what is damaged is fetched again, as an update of the same version.
    package var repairs: Bool

    package init(app: String? = nil, pack: String? = nil, repairs: Bool = false) {
        self.app = app
        self.pack = pack
        self.repairs = repairs
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var packs: [LocalVerification]

        package init(packs: [LocalVerification]) { self.packs = packs }
    }
}

/// What reading a local pack's files showed.
package struct LocalVerification: Codable, Hashable, Sendable {
    package var app: String
    package var pack: String
    package var version: Int
    package var fileCount: Int
    /// Bytes that were read.
    package var size: Int64
    /// Paths of files that are missing, or hold something else than when they came; sorted.
    package var damaged: [String]
    /// Whether nothing is recorded of what the files should hold, because the pack came before that was done.
    package var isUnknown: Bool
    /// Whether what is damaged is being fetched again.
    package var isRepairing: Bool

    package init(
        app: String, pack: String, version: Int, fileCount: Int = 0, size: Int64 = 0, damaged: [String] = [],
        isUnknown: Bool = false, isRepairing: Bool = false
    ) {
        self.app = app
        self.pack = pack
        self.version = version
        self.fileCount = fileCount
        self.size = size
        self.damaged = damaged
        self.isUnknown = isUnknown
        self.isRepairing = isRepairing
    }
}
