// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Crypto
package import HTTP
import Kit
package import System
package import TestSupport

/// A server of packs over https inside the test, whose answers a test may spoil and whose log it may read.
package final class AssetServer: Sendable {
    /// Changes an answer; called with the request and its number, counted from 1, among those for its path.
    package typealias Spoiler = @Sendable (HTTPServerRequest, Int, inout HTTPServerResponse) -> Void

    private struct State {
        var packs: [SamplePack] = []
        /// Further files by path.
        var files: [String: FilePath] = [:]
        var requests: [String: Int] = [:]
        var records: [HTTPExchangeRecord] = []
        var spoiler: Spoiler?
        var editor: (@Sendable (inout DownloadManifest) -> Void)?
    }

    private let state: Monitor<State>
    private let server: HTTPServer
    /// The certificate that a device must trust.
    package let authority: FilePath

    package var port: Int { server.port }
    package var baseURL: String { "https://localhost:\(port)" }
    package var manifestURL: String { "\(baseURL)/manifest" }

    /// - Parameters:
    ///   - name: a server of another name has another authority.
    ///   - hosts: what its certificate is made out to.
    package init(_ scratch: Scratch, name: String = "authority", hosts: [String] = ["localhost"]) throws {
        let authority = try DevelopmentAuthority(folder: scratch(name))
        self.authority = authority.certificateFile
        let state = Monitor(State())
        self.state = state
        var configuration = HTTPServerConfiguration(
            host: "localhost", identity: try authority.identity(hosts: hosts))
        configuration.log = { record in state.withLock { $0.records.append(record) } }
        server = try HTTPServer(configuration) { request in AssetServer.answer(request, state) }
        scratch.addCleanup { [server] in server.stop() }
    }

    package func stop() { server.stop() }

    /// Puts packs on offer in place of those before.
    package func publish(_ packs: [SamplePack]) { state.withLock { $0.packs = packs } }

    /// Serves a file under a path such as `/films/a.film`.
    package func publish(_ file: FilePath, as path: String) { state.withLock { $0.files[path] = file } }

    /// How often a path was asked for.
    package func requests(_ path: String) -> Int { state.withLock { $0.records.filter { $0.path == path }.count } }

    /// Changes the manifest as it is served from now on.
    package func editManifest(_ editor: (@Sendable (inout DownloadManifest) -> Void)?) {
        state.withLock { $0.editor = editor }
    }

    /// Spoils answers from now on; numbers of requests begin again.
    package func spoil(_ spoiler: Spoiler?) {
        state.withLock {
            $0.spoiler = spoiler
            $0.requests = [:]
        }
    }

    /// Sends every body at so many bytes a second from now on.
    package func slow(to bytesPerSecond: Int64) {
        spoil { _, _, response in response.behaviour.bytesPerSecond = bytesPerSecond }
    }

    /// Spoils the answers for one pack's archive.
    package func spoil(pack: String, _ spoiler: @escaping @Sendable (Int, inout HTTPServerResponse) -> Void) {
        spoil { request, number, response in
            if request.path == "/assets/\(pack)" { spoiler(number, &response) }
        }
    }

    /// Bytes of bodies sent for a pack's archive so far.
    package func bytesSent(pack: String) -> Int64 {
        state.withLock { $0.records.filter { $0.path == "/assets/\(pack)" }.reduce(0) { $0 + $1.bytes } }
    }

    /// The exchanges that are over.
    package var records: [HTTPExchangeRecord] { state.withLock { $0.records } }

    /// What was asked for since the server's behaviour changed last, answered or not.
    package var askedPaths: Set<String> { state.withLock { Set($0.requests.keys) } }

    /// Waits until the server has seen so many requests for a pack's archive.
    package func waitForRequests(pack: String, count: Int, atMost limit: Duration = .seconds(60)) async throws {
        try await waitForRequests(path: "/assets/\(pack)", count: count, atMost: limit)
    }

    package func waitForRequests(path: String, count: Int, atMost limit: Duration = .seconds(60)) async throws {
        let state = state
        let seen = try await onOwnThread {
            state.wait(atMost: limit) { $0.requests[path, default: 0] >= count ? true : nil }
        }
        guard seen == true else { throw TestFailure("No \(count) requests for \(path) within \(limit).") }
    }

    private static func answer(_ request: HTTPServerRequest, _ state: Monitor<State>) -> HTTPServerResponse {
        let (packs, file, number, spoiler, editor) = state.withLock { state in
            state.requests[request.path, default: 0] += 1
            return (
                state.packs, state.files[request.path], state.requests[request.path, default: 0], state.spoiler,
                state.editor
            )
        }
        var response: HTTPServerResponse
        do {
            response = try file.map { try fileAnswer(request, $0) } ?? plainAnswer(request, packs, editor)
        } catch {
            response = .text(500, "\(error)")
        }
        spoiler?(request, number, &response)
        return response
    }

    private static func fileAnswer(_ request: HTTPServerRequest, _ path: FilePath) throws -> HTTPServerResponse {
        let status = try FileDescriptor.currentDirectory.status(at: path)
        let answer = FileAnswer(
            file: try ServedFile(path), size: status.size,
            etag: "\"\(path.lastComponent?.string ?? "")-\(status.size)\"",
            contentType: "application/octet-stream")
        return answer.response(to: request)
    }

    private static func plainAnswer(
        _ request: HTTPServerRequest, _ packs: [SamplePack], _ editor: (@Sendable (inout DownloadManifest) -> Void)?
    ) throws -> HTTPServerResponse {
        if request.path == "/manifest" {
            let base = "https://\(request.headers["Host"] ?? "localhost")/assets"
            var manifest = DownloadManifest(assetPacks: try packs.map { try $0.entry(baseURL: base) })
            editor?(&manifest)
            return .json(manifest.serialized)
        }
        guard let pack = packs.first(where: { request.path == "/assets/\($0.id)" }) else {
            return .text(404, "no such pack")
        }
        let file = FileAnswer(
            file: try ServedFile(pack.archive), size: pack.contents.archiveSize, etag: "\"\(pack.id)-\(pack.version)\"",
            contentType: "application/octet-stream")
        return file.response(to: request)
    }
}
