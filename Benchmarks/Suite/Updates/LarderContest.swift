// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System

/// What an update of one pair of versions takes with Larder: made by `ba-package`, served as files, applied by the service.
struct LarderContest {
    let pair: UpdatePair
    /// Where the programs are, as they are installed.
    let programs: FilePath
    /// Where everything goes.
    let folder: FilePath
    /// A folder on a file system of its own; without one extra disk is not judged.
    let memory: FilePath?
    /// What applying a patch is held against; nil when that peer took no part.
    let yardstick: PatchYardstick?

    /// Over a network's speed, and over loopback, where an update takes a fifth of a second and varies by half of that.
    private static let (rounds, loopbackRounds) = (3, 11)
    /// After rounds that took so long there is no other.
    private static let longRound = Duration.seconds(60)

    /// Seconds until the new version is readable, one of each for every round: what is compared was measured in turns.
    struct Times {
        let link: NetworkLink
        var offers: [LarderPublication.Offer: [Double]] = [:]
        /// By fetching the archive with curl and extracting it.
        var curl: [Double] = []
        /// By fetching a plain gzipped tar, extracted as it comes.
        var bsdtar: [Double] = []
        /// By applying the `yardstick`'s patch, which is here already.
        var patch: [Double] = []
    }

    struct Result {
        var rows: [UpdateFigures] = []
        var times: [Times] = []
        var archiveBytes: Int64 = 0
        var indexBytes: Int64?
        var patchBytes: Int64?
        /// At the peak of an update, by what is fetched.
        var extraDisk: [LarderPublication.Offer: Int64] = [:]
    }

    func run(_ report: Report) async throws -> Result {
        let served = folder.appending("larder-served")
        try FileDescriptor.currentDirectory.makeDirectories(at: served)
        let server = try IndependentServer(counting: served, isPlain: false)
        let publication = try LarderPublication(pair, programs: programs, served: served, url: server.url)
        if !publication.advice.isEmpty {
            report.note("    packed as diff advises: \(publication.advice.joined(separator: " "))")
        }
        let tar = served.appending("new.tar.gz")
        try UpdatePair.succeed(["bash", "-c", #"gzip -n -c "$0" > "$1""#, pair.newTar.string, tar.string])
        var result = Result()
        result.archiveBytes = publication.size(.whole) ?? 0
        result.indexBytes = publication.size(.parts)
        result.patchBytes = publication.size(.patch)
        let offers = LarderPublication.Offer.allCases.filter { publication.size($0) != nil }
        let device = UpdateDevice(
            larderd: programs.appending("larderd"), home: folder.appending("home"), publication: publication,
            url: server.url, authority: server.authorityFile)
        for link in NetworkLink.available {
            var times = Times(link: link)
            var costs: [LarderPublication.Offer: [RunCost]] = [:]
            let begin = ContinuousClock.now
            let rounds = link == .loopback ? Self.loopbackRounds : Self.rounds
            repeat {
                if link == .loopback, let seconds = try yardstick?.apply() { times.patch.append(seconds) }
                for offer in offers {
                    var before = 0
                    let cost = try await device.update(to: offer, over: link) {
                        before = try server.answersSoFar().count
                    }
                    times.offers[offer, default: []].append(cost.seconds)
                    costs[offer, default: []].append(cost.run)
                    guard link == .loopback, times.curl.isEmpty else { continue }
                    // Whether there is an update at all is asked of the manifest, as peers are told by other means.
                    let all = try server.answersSoFar()[before...]
                    let answers = all.filter { !Self.isManifest($0.target) }
                    let bytes = answers.reduce(0) { $0 + $1.bytes }
                    let besides = all.reduce(0) { $0 + $1.bytes } - bytes
                    report.note(
                        "    \(offer.name): \(ByteCount.formatted(bytes)), and a manifest of \(besides) bytes")
                    result.rows.append(
                        UpdateFigures(
                            name: offer.name, kind: offer == .patch ? .patch : .parts, bytes: bytes,
                            requests: answers.count, make: offer == .patch ? publication.patch : publication.package,
                            apply: RunCost()))
                }
                let (curl, bsdtar) = try link.held { try baselines(server, publication) }
                times.curl.append(curl)
                times.bsdtar.append(bsdtar)
            } while times.curl.count < rounds && ContinuousClock.now - begin < Self.longRound
            if link == .loopback {
                for (place, row) in result.rows.enumerated() {
                    let offer = offers.first { $0.name == row.name }
                    result.rows[place].apply = .median(offer.flatMap { costs[$0] } ?? [])
                }
            }
            result.times.append(times)
        }
        if let memory {
            var device = device
            device.home = memory
            for offer in offers { result.extraDisk[offer] = try await device.update(to: offer).extraDisk }
        }
        return result
    }

    /// Whether a path, which may have a query, is the manifest's.
    private static func isManifest(_ target: String) -> Bool {
        target.prefix { $0 != "?" }.hasSuffix("/manifest.json")
    }

    /// What one would type without Larder, both versions of it: the archive and its extraction, and a plain gzipped tar.
    private func baselines(_ server: IndependentServer, _ publication: LarderPublication) throws
        -> (curl: Double, bsdtar: Double)
    {
        let out = folder.appending("baseline")
        let here = FileDescriptor.currentDirectory
        func timed(_ line: String, check: FilePath) throws -> Double {
            if here.exists(at: out) { try here.removeTree(at: out) }
            try here.makeDirectories(at: out)
            let cost = try RunCost.of(["bash", "-c", "set -eo pipefail; \(line)"], in: out).cost
            try pair.expectNewTree(check)
            return cost.seconds
        }
        let curl = "curl -sS --fail --cacert \(server.authorityFile) \(server.url)"
        let extract = "\(programs)/ba-package extract new.aar -o tree --quiet"
        let archive = try timed("\(curl)/2/Tree -o new.aar; \(extract)", check: out.pushing("tree/Contents"))
        let tar = try timed("mkdir tree; \(curl)/new.tar.gz | bsdtar -x -C tree", check: out.appending("tree"))
        try here.removeTree(at: out)
        return (archive, tar)
    }
}
