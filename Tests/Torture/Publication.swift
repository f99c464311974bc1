// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import TestSupport

/// The packs on offer in all their versions, made once for every device of a campaign.
struct Publication: Sendable {
    static let versions = 4
    static let fileCount = 10
    static let fileSize = 12_000
    static let packs = [
        (id: "First", policy: "essential"), (id: "Second", policy: "prefetch"), (id: "Third", policy: "onDemand"),
    ]
    /// What an install brings.
    static var always: [String] { ["First", "Second"] }

    /// By version, from 1.
    let editions: [[SamplePack]]

    init(_ scratch: Scratch) throws {
        editions = try (1...Self.versions).map { version in
            try Self.packs.map { pack in
                var files: [String: [UInt8]] = [:]
                for number in 0..<Self.fileCount {
                    let path = "\(pack.id)/\(number % 3)/\(number)"
                    let size = Self.fileSize * (number % 4 + version) / 4
                    files[path] = StampedFile(pack: pack.id, version: version, path: path, size: size).bytes
                }
                return try SamplePack.make(
                    pack.id, version: version, policy: pack.policy, files: files, blockSize: 16 << 10, in: scratch)
            }
        }
    }
}
