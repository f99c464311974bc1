// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The peer that applying a patch is held against, with the patch that it made: it applies it again in turns with Larder, so that
/// both are slowed by the same when the machine does something else besides.
struct PatchYardstick {
    static let peer = ZstdPeer(level: 19)

    private let pair: UpdatePair
    private let place: PeerPlace

    /// Takes the patch out of where it was made.
    init(_ pair: UpdatePair, keeping patch: FilePath, in folder: FilePath) throws {
        self.pair = pair
        let here = FileDescriptor.currentDirectory
        place = PeerPlace(work: folder, served: folder, url: "")
        if here.exists(at: folder) { try here.removeTree(at: folder) }
        try here.makeDirectories(at: folder)
        try here.link(from: patch, to: place.patch)
    }

    /// - Returns: seconds.
    func apply() throws -> Double {
        let target = place.work.appending("new.tar")
        let here = FileDescriptor.currentDirectory
        if here.exists(at: target) { try here.remove(at: target) }
        return try Self.peer.apply(pair, place).seconds
    }
}
