// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Crypto
import HTTP
import HostingClient
import HostingModel
import HostingService
import Kit
import System

/// `larder-host` as it is installed, on a data folder with one app and a publisher.
final class BenchHost: Sendable {
    static let bundleID = "org.example.bench"

    let url: String
    let process: ChildProcess
    let client: HostingClient
    let credentials: HostingCredentials

    /// What is made once for a data folder.
    struct Identity: Sendable {
        let data: FilePath
        let keyID: String
        let issuer: String
        let key: SigningKey
        let keyFile: FilePath

        /// - Parameter folder: gets the data folder and the key.
        init(folder: FilePath) async throws {
            data = folder.appending("data")
            let administration = try await HostAdministration(HostConfiguration(data: data))
            _ = try await administration.createApp(bundleID: bundleID, name: "Bench", locale: nil, sku: nil)
            let made = try await administration.createKey(name: "bench", role: .admin, apps: nil)
            issuer = try await administration.issuer()
            await administration.close()
            keyID = made.key.id
            key = try SigningKey(pem: made.privateKey)
            keyFile = folder.appending("key.p8")
            try AtomicFile.write(made.privateKey, to: keyFile, durable: false, permissions: .filePrivate)
        }
    }

    /// Starts the host and waits until it listens. Blocks.
    /// - Parameter certificate: PEM files of a chain and its key; nil for plain http.
    init(_ program: FilePath, _ identity: Identity, certificate: (chain: FilePath, key: FilePath)? = nil) throws {
        let output = try Pipe()
        var arguments = [
            "serve", "--data", identity.data.string, "--host", "127.0.0.1", "--port", "0", "--json", "--log-level",
            "warning",
        ]
        if let certificate {
            arguments += ["--certificate", certificate.chain.string, "--key", certificate.key.string]
        }
        process = try ChildProcess.spawn(
            executable: program, arguments: arguments, descriptors: [1: output.writer])
        output.closeWriter()
        var line: [UInt8] = []
        var byte: UInt8 = 0
        // A host that says nothing is ended, which ends the reading.
        let watch = Task { [process] in
            try await Task.sleep(for: .seconds(60))
            process.kill()
        }
        defer { watch.cancel() }
        while line.last != UInt8(ascii: "\n") {
            let count = try withUnsafeMutableBytes(of: &byte) { try output.reader.read(into: $0) }
            guard count == 1 else { throw BenchmarkError("larder-host ended before it listened") }
            line.append(byte)
        }
        guard let url = try JSONParser.parse(line).value["url"]?.stringValue else {
            throw BenchmarkError("larder-host says \(String(decoding: line, as: UTF8.self))")
        }
        self.url = url
        credentials = HostingCredentials(keyID: identity.keyID, issuer: identity.issuer, key: identity.key)
        var http = HTTPClientConfiguration()
        http.allowsPlainLoopback = true
        client = HostingClient(url: url, credentials: credentials, http: HTTPClient(http))
    }

    func stop() { _ = try? process.stop(grace: .seconds(20)) }

    /// Uploads an archive and waits until it was checked.
    @discardableResult
    func publish(_ archive: FilePath) async throws -> UploadedVersion {
        let uploader = PackUploader(client)
        let version = try await uploader.upload(archive, to: .bundleID(Self.bundleID))
        try await waitUntilChecked(version.id)
        return version
    }

    /// - Throws: `BenchmarkError` when the pack is refused, or nothing has come of it after two minutes.
    func waitUntilChecked(_ version: String) async throws {
        let uploader = PackUploader(client)
        let outcome = try await withThrowingTaskGroup(of: PackUploader.Outcome?.self) { group in
            group.addTask { try await uploader.outcome(of: version) }
            group.addTask {
                try await Task.sleep(for: .seconds(120))
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let outcome = first else {
                throw BenchmarkError("the host has not checked version \(version) in two minutes")
            }
            return outcome
        }
        guard outcome.state == "COMPLETE" else { throw BenchmarkError("the host refuses the pack: \(outcome.errors)") }
    }

    /// A token for the channel.
    static func channelToken(_ identity: Identity, _ channel: Channel) async throws -> String {
        let administration = try await HostAdministration(HostConfiguration(data: identity.data))
        let token = try await administration.createChannelToken(bundleID: bundleID, channel: channel, name: "bench")
        await administration.close()
        return token.secret
    }

    /// The most memory that the host had in use so far, in bytes.
    func peakResidentBytes() throws -> Int { Int(try ProcessUsage.peakResidentBytes(of: process.processID)) }
}

/// Packs of random bytes, which no compression makes smaller.
enum BenchPack {
    /// Makes a pack of `size` bytes, in files of at most 64 MiB.
    static func make(_ identifier: String, size: Int, in folder: FilePath) throws -> FilePath {
        let source = folder.appending("\(identifier)-files")
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: source)
        var left = size
        let random = try OwnedDescriptor("/dev/urandom", .readOnly)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var number = 0
        while left > 0 {
            let file = try OwnedDescriptor(
                source.appending("file-\(number)"), .writeOnly, options: [.create], permissions: .fileDefault)
            var room = min(left, 64 << 20)
            while room > 0 {
                let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(room, buffer.count)])
                let count = try random.borrowed.read(into: piece)
                try file.borrowed.writeFully(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]))
                room -= count
                left -= count
            }
            number += 1
        }
        let manifest = folder.appending("\(identifier).json")
        let text =
            #"{ "assetPackID": "\#(identifier)", "downloadPolicy": { "onDemand": {} }, "platforms": ["Linux"], "#
            + #""fileSelectors": [ { "filePattern": "**" } ] }"#
        try AtomicFile.write(Array(text.utf8), to: manifest, durable: false)
        let archive = folder.appending("\(identifier).aar")
        let evaluation = try PackEvaluation(PackManifest(contentsOf: manifest), sourceDirectory: source)
        _ = try Packager(evaluation).package(to: archive)
        try here.removeTree(at: source)
        return archive
    }
}
