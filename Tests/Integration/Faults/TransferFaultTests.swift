// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import DeviceSupport
import HTTP
import Kit
import System
import TestSupport
import Testing

/// A server that misbehaves (C8). What passes is lived with; what does not fails with words, and leaves nothing behind.
@Suite struct TransferFaultTests {
    /// Trouble that ends by itself: spoils the first answers for an archive.
    struct Passing: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoil: @Sendable (_ number: Int, _ size: Int64, inout HTTPServerResponse) -> Void
    }

    static let passing: [Passing] = [
        Passing(testDescription: "the connection is cut in the middle, twice") { number, size, response in
            guard number <= 2 else { return }
            response.behaviour.breaks = .cut
            response.behaviour.breakOffset = size / 3
        },
        Passing(testDescription: "the connection is reset in the middle") { number, size, response in
            guard number == 1 else { return }
            response.behaviour.breaks = .reset
            response.behaviour.breakOffset = size / 2
        },
        Passing(testDescription: "the transfer stalls") { number, size, response in
            guard number == 1 else { return }
            response.behaviour.breaks = .stall
            response.behaviour.breakOffset = size / 2
        },
        Passing(testDescription: "the server is overloaded (503)") { number, _, response in
            if number == 1 { response = .text(503, "busy") }
        },
        Passing(testDescription: "the server fails (500)") { number, _, response in
            if number == 1 { response = .text(500, "oops") }
        },
        Passing(testDescription: "a byte is wrong once") { number, size, response in
            if number == 1 { response.behaviour.wrongByte = size / 2 }
        },
        Passing(testDescription: "the range is refused after a cut (416)") { number, size, response in
            if number == 1 {
                response.behaviour.breaks = .cut
                response.behaviour.breakOffset = size / 2
            } else if number == 2 {
                response = HTTPServerResponse(status: 416)
            }
        },
        Passing(testDescription: "the range is ignored after a cut") { number, size, response in
            if number == 1 {
                response.behaviour.breaks = .cut
                response.behaviour.breakOffset = size / 2
            }
        },
    ]

    @Test(arguments: passing) func whatPassesIsLivedWith(_ fault: Passing) async throws {
        try await Bench.with { bench in
            let size = bench.essential.archiveSize
            bench.server.spoil(pack: "First") { number, response in fault.spoil(number, size, &response) }
            let events = try await bench.device.install(try bench.app())
            #expect(events.last?.error == nil, "\(String(describing: events.last))")
            let app = try await bench.device.launch()
            // A pack that failed as an essential one is offered again behind the launch.
            #expect(try await app.ask("ensure First") == "ok First")
            try await bench.expectWhole(bench.essential, through: app)
        }
    }

    /// Trouble that stays: the on-demand pack is asked for and fails with this code.
    struct Lasting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let mentions: String
        let spoil: @Sendable (inout HTTPServerResponse) -> Void
    }

    static let lasting: [Lasting] = [
        Lasting(testDescription: "404", mentions: "404") { $0 = .text(404, "gone") },
        Lasting(testDescription: "410", mentions: "410") { $0 = .text(410, "gone") },
        Lasting(testDescription: "403", mentions: "403") { $0 = .text(403, "no") },
        Lasting(testDescription: "a byte is always wrong", mentions: "Third") { $0.behaviour.wrongByte = 5_000 },
        Lasting(testDescription: "a redirect to http", mentions: "http") {
            $0 = HTTPServerResponse(status: 302, headers: ["Location": "http://localhost:9/assets/Third"])
        },
        Lasting(testDescription: "another body than was announced", mentions: "Third") {
            $0 = HTTPServerResponse(status: 200, body: [.bytes(Array(repeating: 0x41, count: 4_000))])
        },
        Lasting(testDescription: "an html page", mentions: "Third") { $0 = .text(200, "<html>sign in here</html>") },
    ]

    @Test(arguments: lasting) func whatStaysFailsInWords(_ fault: Lasting) async throws {
        try await Bench.with { bench in
            _ = try await bench.device.install(try bench.app(), until: .complete)
            bench.server.spoil(pack: "Third") { _, response in fault.spoil(&response) }
            let app = try await bench.device.launch()
            let answer = try await app.ask("ensure Third")
            #expect(answer.hasPrefix("error"), "\(answer)")
            #expect(answer.contains(fault.mentions), "\(answer)")
            #expect(try await app.ask("local Third") == "ok false")
            #expect(try bench.staged() == [], "nothing is left behind")
            // And when the server has come to its senses, so has the download.
            bench.server.spoil(nil)
            #expect(try await app.ask("ensure Third") == "ok Third")
            try await bench.expectWhole(bench.onDemand, through: app)
        }
    }

    @Test(arguments: [-1000, 1000]) func aServerThatLiesAboutTheSizeIsFoundOut(_ difference: Int64) async throws {
        try await Bench.with { bench in
            bench.server.editManifest { manifest in
                for index in manifest.assetPacks.indices where manifest.assetPacks[index].id == "Third" {
                    manifest.assetPacks[index].downloadSize += difference
                }
            }
            _ = try await bench.device.install(try bench.app(), until: .complete)
            let app = try await bench.device.launch()
            let answer = try await app.ask("ensure Third")
            #expect(answer.hasPrefix("error"), "\(answer)")
            #expect(try bench.staged() == [])
        }
    }

    /// C7: before the first launch packs come from the hosts of the list only, wherever a server may send one.
    @Test func aRedirectToAHostThatIsNotOnTheListWaitsForTheFirstLaunch() async throws {
        try await Bench.with { bench in
            let other = try AssetServer(bench.scratch, hosts: ["localhost", "127.0.0.1"])
            other.publish(bench.packs)
            bench.server.spoil { request, _, response in
                let host = request.path == "/assets/First" ? "127.0.0.1" : "localhost"
                guard request.path != "/manifest" else { return }
                response = HTTPServerResponse(
                    status: 302, headers: ["Location": "https://\(host):\(other.port)\(request.path)"])
            }
            let path = try bench.app {
                $0.keys["BAInitialDownloadRestrictions"] = """
                    <dict><key>BADownloadAllowance</key><integer>100000000</integer>
                    <key>BAEssentialDownloadAllowance</key><integer>100000000</integer>
                    <key>BADownloadDomainAllowList</key><array><string>localhost</string></array></dict>
                    """
            }
            let last = try #require(try await bench.device.install(path, until: .complete).last)
            #expect(last.phase == .complete)
            let refused = try #require(last.packs.first { $0.id == "First" })
            #expect(refused.error?.code == .domainNotAllowed)
            #expect(refused.error?.message.contains("BADownloadDomainAllowList") == true)
            #expect(refused.error?.message.contains("127.0.0.1") == true, "\(String(describing: refused.error))")
            #expect(other.bytesSent(pack: "First") == 0)
            #expect(try await bench.device.packs()["Second"]?.state == .local, "its host is on the list")
            let listing = try await bench.device.packs()["First"]
            #expect(listing?.error?.contains("127.0.0.1") == true, "\(String(describing: listing))")
            let app = try await bench.device.launch()
            #expect(try await app.ask("follow First") == "ok finished")
            try await bench.expectWhole(bench.essential, through: app)
        }
    }

    @Test func aServerNobodyTrustsIsRefused() async throws {
        try await Bench.with { bench in
            let other = try AssetServer(bench.scratch, name: "other")
            other.publish(bench.packs)
            let events = try await bench.device.install(try bench.app { $0.manifestURL = other.manifestURL })
            let last = try #require(events.last)
            #expect(last.phase == .failed)
            #expect(last.error?.message.contains("certificate") == true, "\(String(describing: last.error))")
            #expect(try await bench.device.connect().send(AppsRequest()).apps.isEmpty, "nothing is left behind")
            #expect(!FileDescriptor.currentDirectory.exists(at: bench.device.paths.appRoot(SampleApp.bundleID)))
        }
    }

    @Test(arguments: ["not json", "{}", #"{"assetPacks": 3}"#, #"{"assetPacks": [{"id": "../x"}]}"#, ""])
    func aWrongManifestIsRefusedInWords(_ manifest: String) async throws {
        try await Bench.with { bench in
            bench.server.spoil { request, _, response in
                if request.path == "/manifest" { response = .json(Array(manifest.utf8)) }
            }
            let events = try await bench.device.install(try bench.app())
            let last = try #require(events.last)
            #expect(last.phase == .failed)
            #expect(last.error?.message.contains("manifest") == true, "\(String(describing: last.error))")
            #expect(!FileDescriptor.currentDirectory.exists(at: bench.device.paths.appRoot(SampleApp.bundleID)))
        }
    }
}
