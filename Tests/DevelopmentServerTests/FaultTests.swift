// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DevelopmentServer
import HTTP
import HTTPSupport
import Kit
import PackUpdates
import System
import Testing

/// Every fault, as a client meets it.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    private func fetch(
        _ fixture: ServerFixture, _ id: String = "Coast", rangeStart: Int64? = nil, expected: Int? = nil,
        client: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) async -> ([UInt8], HTTPClientError?) {
        await fixture.client(client).start(
            HTTPRequest(
                url: "\(fixture.url)/assets/\(id)", rangeStart: rangeStart, expectedLength: expected.map { Int64($0) })
        ).readUntilEnd()
    }

    @Test func statusesOnceAndThenNoMore() async throws {
        for status in [404, 416, 500, 503] {
            let fixture = try await ServerFixture(faults: ["asset=Coast:\(status),times=1,retry-after=3"])
            let (_, error) = await fetch(fixture)
            #expect(error?.status == status)
            #expect(error?.retryAfter == .seconds(3))
            let (bytes, second) = await fetch(fixture)
            #expect(second == nil)
            #expect(try bytes.elementsEqual(fixture.archive("Coast")))
        }
    }

    @Test func otherResourcesAreLeftAlone() async throws {
        let fixture = try await ServerFixture(
            packs: ["Coast", "Tutorial"], faults: ["asset=Coast:500", "manifest:slow"])
        #expect(await fetch(fixture, "Tutorial").1 == nil)
        #expect(try await fixture.manifest().assetPacks.count == 2)
    }

    @Test func cutAndReset() async throws {
        for (fault, code) in [("cut", HTTPClientError.Code.cut), ("reset", .reset)] {
            let fixture = try await ServerFixture(faults: ["\(fault),after=100kB"])
            let archive = try fixture.archive("Coast")
            let (bytes, error) = await fetch(fixture, expected: archive.count)
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(bytes.count <= 100_000 && bytes.elementsEqual(archive[..<bytes.count]))
        }
    }

    @Test func aDownloadGoesOnBehindACut() async throws {
        let fixture = try await ServerFixture(faults: ["cut,after=100kB,times=2"])
        let archive = try fixture.archive("Coast")
        var all: [UInt8] = []
        var rounds = 0
        while all.count < archive.count, rounds < 10 {
            all += await fetch(fixture, rangeStart: Int64(all.count)).0
            rounds += 1
        }
        #expect(all.elementsEqual(archive))
        #expect(rounds == 3)
    }

    @Test func stall() async throws {
        let fixture = try await ServerFixture(faults: ["stall,after=1000"])
        let (_, error) = await fetch(fixture) { $0.stallTimeout = .milliseconds(80) }
        #expect(error?.code == .stalled)
    }

    @Test func slow() async throws {
        let fixture = try await ServerFixture(faults: ["slow,rate=500kB"])
        let start = SuspendingClock().now
        let (bytes, error) = await fetch(fixture)
        #expect(error == nil)
        // The archive's 300 kB less the first eighth of a second's.
        #expect(bytes.count > 290_000)
        #expect(start.duration(to: SuspendingClock().now) > .milliseconds(400))
    }

    @Test func endless() async throws {
        let fixture = try await ServerFixture(faults: ["endless"])
        let archive = try fixture.archive("Coast")
        let (bytes, error) = await fetch(fixture, expected: archive.count)
        #expect(error?.code == .wrongLength, "\(String(describing: error))")
        #expect(archive.starts(with: bytes))
        // It does not end by itself.
        var request = HTTPRequest(url: "\(fixture.url)/assets/Coast")
        request.takesEveryStatus = true
        await #expect(throws: HTTPClientError.self) {
            try await fixture.client().data(for: request, limit: archive.count + (4 << 20))
        }
    }

    @Test func wrongByteIsAPlaceInTheArchive() async throws {
        let fixture = try await ServerFixture(faults: ["wrong-byte,at=200000"])
        var expected = try fixture.archive("Coast")
        expected[200_000] ^= 0xFF
        #expect(await fetch(fixture).0.elementsEqual(expected))
        #expect(await fetch(fixture, rangeStart: 150_000).0.elementsEqual(expected[150_000...]))
        #expect(await fetch(fixture, rangeStart: 250_000).0.elementsEqual(expected[250_000...]))
    }

    /// Ranges that are not what was asked for, as another client than ours sees them: the raw answer.
    @Test func wrongRanges() async throws {
        func get(
            _ fault: String, _ range: String
        ) async throws -> (status: Int, range: String?, body: [UInt8], all: [UInt8]) {
            let fixture = try await ServerFixture(faults: ["asset=Coast:\(fault)"])
            let archive = try fixture.archive("Coast")
            var request = HTTPRequest(url: "\(fixture.url)/assets/Coast", headers: [("Range", range)])
            request.takesEveryStatus = true
            let (head, body) = try await fixture.client().data(for: request, limit: 1 << 20)
            return (head.status, head.headers["Content-Range"], body, archive)
        }
        let several = "bytes=10-19,1000-1009"
        let first = try await get("first-range", several)
        #expect(first.status == 206 && first.range == "bytes 10-19/\(first.all.count)")
        #expect(first.body.elementsEqual(first.all[10..<20]))
        let wrong = try await get("wrong-range", "bytes=10-19")
        #expect(wrong.range == "bytes 11-20/\(wrong.all.count)" && wrong.body.elementsEqual(wrong.all[11..<21]))
        let shifted = try await get("shifted", "bytes=10-19")
        #expect(shifted.range == "bytes 10-19/\(wrong.all.count)" && shifted.body.elementsEqual(shifted.all[11..<21]))
        // The parts stand the other way round, each with its own bytes; in damaged ones the byte that was named is turned over.
        for (fault, order) in [("wrong-range", [1000, 10]), ("wrong-byte,at=1003", [10, 1000])] {
            let parts = try await get(fault, several)
            var expected = parts.all
            if fault.hasPrefix("wrong-byte") { expected[1003] ^= 0xFF }
            let text = String(decoding: parts.body, as: Unicode.ASCII.self)
            let places = order.map { start in
                text.utf8.count - (text.split(separator: "bytes \(start)-", maxSplits: 1).last?.utf8.count ?? 0)
            }
            #expect(places == places.sorted() && places[0] != places[1])
            for start in order {
                let bytes = Array(expected[start..<start + 10])
                #expect(parts.body.indices.contains { parts.body[$0...].starts(with: bytes) }, "\(fault)")
            }
        }
        #expect(try await get("wrong-range", "bytes=0-").status == 206)
    }

    @Test func whatLiesBesideAnArchiveHasFaultsOfItsOwn() async throws {
        let folder = try FixtureFolder()
        let content = ServerFixture.content(of: "old", count: 300_000)
        let old = try folder.pack("Coast", content: content, to: "old.aar")
        let new = try folder.pack("Coast", content: content + [1, 2, 3])
        _ = try PackIndex.write(ofArchive: new, to: PackIndex.path(besideArchive: new))
        let index = try File.read(PackIndex.path(besideArchive: new))
        let path = PatchTable.path(besideArchive: new, from: 6)
        _ = try PatchMaker.make(from: PatchVersion(archive: old), to: PatchVersion(archive: new), at: path)
        let patch = try File.read(path)
        let fixture = try await ServerFixture(
            packs: [], faults: ["index=Coast:wrong-byte,at=7,times=1", "patch=Coast:no-ranges", "asset=Coast:404"]
        ) { $0.archives = [new] }
        #expect(try await fixture.manifest()["Coast"]?.larder?.patches.count == 1)
        #expect(await fetch(fixture).1?.status == 404)
        var wrong = index
        wrong[7] ^= 0xFF
        #expect(try await fixture.get("/assets/Coast.index").1 == wrong)
        #expect(try await fixture.get("/assets/Coast.index").1 == index)
        let (head, body) = try await fixture.client().data(
            for: HTTPRequest(url: "\(fixture.url)/assets/Coast.from-6.patch", rangeStart: 10), limit: 1 << 20)
        #expect(head.status == 200 && body == patch)
    }

    @Test func shortAndLongLieAboutTheLength() async throws {
        for fault in ["short,by=10", "long,by=10"] {
            let fixture = try await ServerFixture(faults: [fault])
            let archive = try fixture.archive("Coast")
            let (bytes, error) = await fetch(fixture)
            #expect(error == nil)
            #expect(abs(bytes.count - archive.count) == 10)
            #expect(await fetch(fixture, expected: archive.count).1?.code == .wrongLength)
            #expect(await fetch(fixture, rangeStart: 1000).1?.code == .badResponse)
        }
    }

    @Test func redirects() async throws {
        let proper = try await ServerFixture(faults: ["redirect=https"])
        let (bytes, error) = await fetch(proper)
        #expect(error == nil)
        #expect(try bytes.elementsEqual(proper.archive("Coast")))
        let plain = try await ServerFixture(faults: ["redirect=http"])
        #expect(await fetch(plain).1?.code == .insecureRedirect)
        let loop = try await ServerFixture(faults: ["redirect=loop"])
        #expect(await fetch(loop).1?.code == .tooManyRedirects)
    }

    @Test(arguments: CertificateFault.allCases) func certificates(fault: CertificateFault) async throws {
        let fixture = try await ServerFixture(faults: ["certificate=\(fault.rawValue)"])
        let error = await fetch(fixture).1
        #expect(error?.code == .untrustedCertificate)
        // Trusting the authority helps against one of the three only.
        let advice: [CertificateFault: String] = [
            .untrusted: "'larder trust'", .expired: "has expired; renew it", .name: "made out to another name",
        ]
        for (other, words) in advice {
            #expect(error?.message.contains(words) == (other == fault), "\(error?.message ?? "")")
        }
    }

    @Test func theManifestToo() async throws {
        let fixture = try await ServerFixture(faults: ["manifest:cut,after=10,times=1", "manifest:404,times=1"])
        let cut = await #expect(throws: HTTPClientError.self) { try await fixture.manifest() }
        #expect(cut?.code == .cut)
        let missing = await #expect(throws: HTTPClientError.self) { try await fixture.manifest() }
        #expect(missing?.status == 404)
        #expect(try await fixture.manifest().assetPacks.count == 1)
    }
}
