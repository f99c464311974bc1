// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// zsync of the gzipped tar, whose blocks it finds inside the compressed file.
struct ZsyncPeer: UpdatePeer {
    let name = "zsync"
    let kind = UpdateKind.parts

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        // It writes the gzipped file beside the tar.
        let here = FileDescriptor.currentDirectory
        let tar = place.served.appending("new.tar")
        if !here.exists(at: tar) { try here.link(from: pair.newTar, to: tar) }
        return try RunCost.of(
            ["zsyncmake", "-z", "-u", "new.tar.gz", "-o", "new.tar.zsync", "new.tar"], in: place.served
        ).cost
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.clear("new.tar", "new.tar.part")
        let cost = try place.run(
            "zsync", "-q", "-i", pair.oldTar.string, "-o", "new.tar", "\(place.url)/new.tar.zsync")
        try pair.expectNewTar(place.work.appending("new.tar"))
        return cost
    }
}

/// zchunk of the tar; the device has kept the old version's file.
struct ZchunkPeer: UpdatePeer {
    let name = "zchunk"
    let kind = UpdateKind.parts

    func prepare(_ pair: UpdatePair, _ place: PeerPlace) throws {
        _ = try place.run("zck", "-o", "old.tar.zck", pair.oldTar.string)
    }

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.run("zck", "-o", "\(place.served)/new.tar.zck", pair.newTar.string)
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.clear("new.tar", "new.tar.zck")
        let cost =
            try place.run("zckdl", "-q", "-s", "old.tar.zck", "\(place.url)/new.tar.zck")
            + place.run("unzck", "new.tar.zck")
        try pair.expectNewTar(place.work.appending("new.tar"))
        return cost
    }
}

/// casync of the tree, with what a pack keeps of a file; the old tree is its seed.
struct CasyncPeer: UpdatePeer {
    let name = "casync"
    let kind = UpdateKind.parts

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        let here = FileDescriptor.currentDirectory
        let store = place.served.appending("store.castr")
        if here.exists(at: store) { try here.removeTree(at: store) }
        return try place.run(
            "casync", "make", "--without=all", "--with=permissions", "--with=symlinks", "--store=\(store)",
            "\(place.served)/new.caidx", pair.new.string)
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        let here = FileDescriptor.currentDirectory
        let out = place.work.appending("out")
        if here.exists(at: out) { try here.removeTree(at: out) }
        let cost = try place.run(
            "casync", "extract", "--store=\(place.url)/store.castr", "--seed=\(pair.old)", "\(place.url)/new.caidx",
            out.string)
        try pair.expectNewTree(out)
        return cost
    }
}

extension PeerPlace {
    /// Removes what an earlier round left.
    fileprivate func clear(_ names: String...) throws {
        let here = FileDescriptor.currentDirectory
        for name in names where here.exists(at: work.appending(name)) { try here.remove(at: work.appending(name)) }
    }
}
