// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import System

/// A program that brings one version of a tree to the next, used as its documentation says.
protocol UpdatePeer: Sendable {
    var name: String { get }
    /// Takes minutes; `--quick` does without.
    var isSlow: Bool { get }
    /// What has to be made for a pair.
    var kind: UpdateKind { get }
    /// What both sides have from the old version, outside of any figure.
    func prepare(_ pair: UpdatePair, _ place: PeerPlace) throws
    /// Makes what is published for the new version; again over what it made before.
    func make(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost
    /// Makes the new version out of the old one and what was published, and checks it outside of the figures.
    func apply(_ pair: UpdatePair, _ place: PeerPlace) throws -> RunCost
}

/// What kind of thing is published.
enum UpdateKind: String {
    /// Made for the step from one version to another.
    case patch
    /// Made for a version; whoever has whichever other one fetches the parts that he lacks.
    case parts
}

/// Where a peer works.
struct PeerPlace: Sendable {
    /// For its own files; commands run there.
    let work: FilePath
    /// What it publishes.
    let served: FilePath
    /// Where that is to be had over plain http.
    let url: String
    /// A patch is this file.
    var patch: FilePath { served.appending("patch") }

    /// Runs a program there.
    func run(_ words: String...) throws -> RunCost { try RunCost.of(words, in: work).cost }

    /// Runs a program that makes the new tar, `new.tar`, and checks that outside of the figures.
    func makeTar(_ pair: UpdatePair, _ words: String...) throws -> RunCost {
        let cost = try RunCost.of(words, in: work).cost
        try pair.expectNewTar(work.appending("new.tar"))
        return cost
    }
}

extension UpdatePeer {
    var isSlow: Bool { false }
    func prepare(_ pair: UpdatePair, _ place: PeerPlace) throws {}
}
