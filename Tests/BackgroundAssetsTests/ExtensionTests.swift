// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import ExtensionFoundation
import Kit
import StoreKit
import System
import TestSupport
import Testing

/// Downloader extensions: what they answer, and the process they live in (B5).
@Suite(.timeLimit(.minutes(5))) struct ExtensionTests {
    private struct Silent: StoreDownloaderExtension {}

    private struct Choosy: ManagedDownloaderExtension {
        func shouldDownload(_ assetPack: AssetPack) -> Bool {
            assetPack.id != "Skipped" && assetPack.version == 4 && assetPack.downloadSize == 1000
        }
    }

    @MainActor
    private func answer(_ extension: some AppExtension, _ message: [UInt8]) throws -> [UInt8] {
        let connection = AppExtensionConnection()
        #expect(`extension`.configuration.accept(connection: connection))
        return try connection.answer(message)
    }

    private func question(_ id: String, version: Int = 4) throws -> [UInt8] {
        let pack = described(id, version: version, policy: .prefetch)
        return try WireCodec.request(1, ShouldDownloadRequest(assetPack: pack, event: "install"))
    }

    @MainActor @Test func emptyExtensionTakesAll() throws {
        let reply = try answer(Silent(), question("Any"))
        #expect(try WireCodec.result(ShouldDownloadRequest.Reply.self, reply).download)
    }

    @MainActor @Test(arguments: [("Wanted", 4, true), ("Skipped", 4, false), ("Wanted", 5, false)])
    func extensionDecides(id: String, version: Int, wanted: Bool) throws {
        let reply = try answer(Choosy(), question(id, version: version))
        #expect(try WireCodec.result(ShouldDownloadRequest.Reply.self, reply).download == wanted)
    }

    @MainActor @Test func unknownQuestionIsAnswered() throws {
        let reply = try answer(Silent(), Array(#"{"id":9,"method":"dance","params":{}}"#.utf8))
        let header = try WireCodec.header(reply)
        #expect(header.id == 9 && header.error?.code == .unknownMethod)
    }

    @MainActor
    @Test(arguments: [
        #"{"id":9,"method":"shouldDownload","params":{}}"#, #"{"id":9,"method":"shouldDownload"}"#,
        #"{"id":9,"method":"shouldDownload","params":{"assetPack":{"id":7},"event":"install"}}"#,
    ])
    func badParametersAreAnswered(message: String) throws {
        let header = try WireCodec.header(try answer(Silent(), Array(message.utf8)))
        #expect(header.id == 9 && header.error?.code == .badMessage)
    }

    @MainActor @Test(arguments: ["", "{", "[]", #"{"method":"shouldDownload"}"#, #"{"id":1}"#])
    func whatIsNoQuestionEndsTheConnection(message: String) {
        #expect(throws: DeviceError.self) { try answer(Silent(), Array(message.utf8)) }
    }

    /// Runs the test extension as the service does, with one end of a socket pair as descriptor 3.
    private func withProcess(
        _ body: @escaping @Sendable (FrameChannel, ChildProcess) throws -> Void
    ) async throws {
        let program = try Binaries.path("ProbeExtension")
        try await onOwnThread {
            let (ours, theirs) = try UnixSocket.pair()
            let channel = FrameChannel(OwnedDescriptor(ours))
            let end = OwnedDescriptor(theirs)
            let child = try ChildProcess.spawn(
                executable: program,
                environment: Binaries.hermeticEnvironment.merging(["LARDER_EXTENSION_FD": "3"]) { $1 },
                descriptors: [3: end.borrowed])
            try end.close()
            defer {
                child.kill()
                _ = try? child.wait(atMost: .seconds(20))
            }
            try body(channel, child)
        }
    }

    @Test func processAnswersInOrderAndEndsWithTheConnection() async throws {
        let questions = try (1...50).map { number in
            try WireCodec.request(
                Int64(number), ShouldDownloadRequest(assetPack: described("P\(number)"), event: "update"))
        }
        try await withProcess { channel, child in
            for question in questions { try channel.send(question) }
            for number in 1...50 {
                let reply = try #require(try channel.receive())
                #expect(try WireCodec.header(reply).id == Int64(number))
                #expect(try WireCodec.result(ShouldDownloadRequest.Reply.self, reply).download)
            }
            channel.close()
            #expect(try child.wait(atMost: .seconds(20)) == 0)
        }
    }

    @Test func processEndsWithAnErrorWhenItIsToldNonsense() async throws {
        try await withProcess { channel, child in
            try channel.send(Array("nonsense".utf8))
            #expect(try channel.receive() == nil)
            #expect(try child.wait(atMost: .seconds(20)) == 1)
        }
    }

    @Test func startedByHandItSaysWhatItIs() async throws {
        let output = try await Binaries.run("ProbeExtension", [])
        #expect(output.exitCode == 2)
        #expect(String(decoding: output.standardError, as: UTF8.self).contains("larder install"))
        let noSocket = try await Binaries.run("ProbeExtension", [], environment: ["LARDER_EXTENSION_FD": "77"])
        #expect(noSocket.exitCode == 2)
    }
}
