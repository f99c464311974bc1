// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// zstd with the old tar as its dictionary.
struct ZstdPeer: UpdatePeer {
    let level: Int
    /// With the search for matches far away, and in one thread: the manual has both for better patches.
    var isLong = false

    var name: String { "zstd -\(level)\(isLong ? " --long" : "")" }
    var isSlow: Bool { isLong && level > 9 }
    var kind: UpdateKind { .patch }

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        let words =
            ["zstd", "-q", "-f", "-\(level)", "--memory=2048MB"] + (isLong ? ["--long=31", "--single-thread"] : []) + [
                "--patch-from=\(pair.oldTar)", pair.newTar.string, "-o", place.patch.string,
            ]
        return try RunCost.of(words, in: place.work).cost
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.makeTar(
            pair, "zstd", "-q", "-d", "-f", "--memory=2048MB", "--long=31", "--patch-from=\(pair.oldTar)",
            place.patch.string, "-o", "new.tar")
    }
}

/// xdelta3 with a source window over all of the old tar.
struct XdeltaPeer: UpdatePeer {
    let name = "xdelta3"
    let kind = UpdateKind.patch

    /// The source window is as large as the source: what moved far is found, too.
    private func window(_ pair: UpdatePair) throws -> String {
        "\(try FileDescriptor.currentDirectory.status(at: pair.oldTar).size)"
    }

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.run(
            "xdelta3", "-e", "-9", "-S", "lzma", "-W", "16777216", "-I", "0", "-B", try window(pair), "-f", "-s",
            pair.oldTar.string, pair.newTar.string, place.patch.string)
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.makeTar(
            pair, "xdelta3", "-d", "-B", try window(pair), "-f", "-s", pair.oldTar.string, place.patch.string,
            "new.tar")
    }
}

/// bsdiff of the tars.
struct BsdiffPeer: UpdatePeer {
    let name = "bsdiff"
    let isSlow = true
    let kind = UpdateKind.patch

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.run("bsdiff", pair.oldTar.string, pair.newTar.string, place.patch.string)
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.makeTar(pair, "bspatch", pair.oldTar.string, "new.tar", place.patch.string)
    }
}

/// A static delta of OSTree, bsdiff for every changed file, however large, and nothing left to be fetched beside it.
struct OSTreePeer: UpdatePeer {
    let name = "ostree delta"
    let isSlow = true
    let kind = UpdateKind.patch

    func prepare(_ pair: UpdatePair, _ place: PeerPlace) throws {
        _ = try place.run("ostree", "init", "--repo=host", "--mode=archive")
        _ = try place.run("ostree", "init", "--repo=device", "--mode=bare-user-only")
        for (branch, tree) in [("old", pair.old), ("new", pair.new)] {
            _ = try place.run(
                "ostree", "commit", "--repo=host", "--branch=\(branch)", "--tree=dir=\(tree)",
                "--canonical-permissions", "--no-xattrs", "--timestamp=@0")
        }
        _ = try place.run("ostree", "pull-local", "--repo=device", "host", "old")
    }

    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        try place.run(
            "ostree", "static-delta", "generate", "--repo=host", "--from=old", "--to=new", "--inline",
            "--min-fallback-size=0", "--max-bsdiff-size=4096", "--filename=\(place.patch)")
    }

    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost {
        let here = FileDescriptor.currentDirectory
        let copy = place.work.appending("copy")
        let out = place.work.appending("out")
        for folder in [copy, out] where here.exists(at: folder) { try here.removeTree(at: folder) }
        // A repository that has the new version already would have nothing to do.
        try UpdatePair.succeed(["cp", "-a", place.work.appending("device").string, copy.string])
        let commit = try RunCost.of(["ostree", "rev-parse", "--repo=host", "new"], in: place.work).output
        var cost = try place.run("ostree", "static-delta", "apply-offline", "--repo=copy", place.patch.string)
        cost =
            try cost
            + place.run(
                "ostree", "checkout", "--repo=copy", "-U", "-H", String(commit.prefix { $0 != "\n" }), out.string)
        try pair.expectNewTree(out)
        return cost
    }
}
