// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

/// The parts of an index that a device knows without having seen it: those that list files it has.
package struct IndexForeknowledge: Sendable {
    private let bodies: [VersionMark: [UInt8]]

    /// - Parameter files: of a version of the pack, in any order; paths are below the pack's contents. Of more than an index can list
    ///   nothing is known: the index of the next version is another one.
    package init(files: [PackListBase.File]) {
        guard files.count <= IndexMemory.limit / IndexMemory.Item.entry.rawValue else {
            bodies = [:]
            return
        }
        let sorted = files.map { (key: Array($0.path.utf8), file: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let rows = sorted.map { _, file in
            IndexRows.Row(
                path: PackIndex.contentsPrefix + file.path,
                kind: .file(size: file.size, digest: file.digest, isExecutable: false))
        }
        var bodies: [VersionMark: [UInt8]] = [:]
        for part in IndexRows.parts(rows, path: \.path) {
            let body = IndexRows.encode(Array(part))
            bodies[VersionMark(SHA256.hash(body))] = body
        }
        self.bodies = bodies
    }

    /// Of a device that has the version of an index.
    package init(_ index: PackIndex) { self.init(files: PackListBase.files(of: index)) }

    /// What is known of a part, uncompressed; nil when it has to be fetched.
    package func body(of part: IndexFront.Part) -> [UInt8]? {
        bodies[part.mark].flatMap { $0.count == part.size ? $0 : nil }
    }

    package var isEmpty: Bool { bodies.isEmpty }
}
