// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System

/// What an update of one pair of versions takes with programs that Debian has, each by its manual and checked.
struct UpdateContest {
    static let peers: [any UpdatePeer] = [
        ZstdPeer(level: 3), ZstdPeer(level: 3, isLong: true), ZstdPeer(level: 19),
        ZstdPeer(level: 19, isLong: true), XdeltaPeer(), BsdiffPeer(), OSTreePeer(), ZsyncPeer(), ZchunkPeer(),
        CasyncPeer(),
    ]

    let pair: UpdatePair
    /// Where everything goes.
    let folder: FilePath

    /// - Parameter isWanted: which of the peers take part.
    /// - Returns: figures by peer; who fails is told of and left out.
    func run(_ report: Report, where isWanted: (any UpdatePeer) -> Bool) throws
        -> (rows: [UpdateFigures], yardstick: PatchYardstick?)
    {
        let here = FileDescriptor.currentDirectory
        let served = folder.appending("served")
        try here.makeDirectories(at: served)
        let server = try IndependentServer(counting: served, isPlain: true)
        var rows: [UpdateFigures] = []
        var yardstick: PatchYardstick?
        for (number, peer) in Self.peers.enumerated() where isWanted(peer) {
            let place = PeerPlace(
                work: folder.appending("peer"), served: served.appending("\(number)"), url: "\(server.url)/\(number)")
            do {
                try here.makeDirectories(at: place.work)
                try here.makeDirectories(at: place.served)
                let row = try measure(peer, place, server)
                rows.append(row)
                report.note("    \(peer.name): \(ByteCount.formatted(row.bytes))")
                if peer.name == PatchYardstick.peer.name {
                    yardstick = try PatchYardstick(pair, keeping: place.patch, in: folder.appending("yardstick"))
                }
            } catch {
                report.note("    \(peer.name) takes no part: \(error)")
            }
            for folder in [place.work, place.served] where here.exists(at: folder) { try here.removeTree(at: folder) }
        }
        return (rows, yardstick)
    }

    private func measure(_ peer: any UpdatePeer, _ place: PeerPlace, _ server: IndependentServer) throws
        -> UpdateFigures
    {
        try peer.prepare(pair, place)
        let makes = try RunCost.rounds { try peer.make(pair, place) }
        let before = try answers(of: server).count
        var fetched = (bytes: Int64(0), requests: 0)
        let applies = try RunCost.rounds {
            let isFirst = fetched.requests == 0
            let cost = try peer.apply(pair, place)
            if isFirst {
                let answers = try answers(of: server)[before...].dropLast()
                fetched = (answers.reduce(0) { $0 + $1.bytes }, answers.count)
            }
            return cost
        }
        var figures = UpdateFigures(
            name: peer.name, kind: peer.kind, bytes: fetched.bytes, requests: fetched.requests, make: .median(makes),
            apply: .median(applies))
        if peer.kind == .patch {
            figures.bytes = try FileDescriptor.currentDirectory.status(at: place.patch).size
            figures.requests = 1
        }
        return figures
    }

    /// What the server has sent, and one answer more: once that is there, all others are written down.
    private func answers(of server: IndependentServer) throws -> [IndependentServer.Answer] {
        let mark = try ChildProcess.run(executable: "curl", arguments: ["-s", "-o", "/dev/null", "\(server.url)/mark"])
        guard mark.exitCode == 0 else { throw BenchmarkError("the server does not answer: \(mark.errorText)") }
        while true {
            let answers = try server.answersSoFar()
            if answers.last?.target == "/mark" { return answers }
        }
    }
}
