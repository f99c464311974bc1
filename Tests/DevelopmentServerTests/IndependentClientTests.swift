// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import DevelopmentServer
import Kit
import System
import TestSupport
import Testing

/// The server against another client than the house's own: the `curl` program.
@Suite(.timeLimit(.minutes(5)), .enabled(if: CurlProgram.path != nil)) struct IndependentClientTests {
    private func run(_ fixture: ServerFixture, _ arguments: String...) async throws -> (code: Int32, output: [UInt8]) {
        let curl = try #require(CurlProgram.path)
        let authority = try #require(fixture.server.authorityFile).string
        let output = try await onOwnThread {
            try ChildProcess.run(
                executable: curl, arguments: ["--silent", "--noproxy", "*", "--cacert", authority] + arguments,
                environment: ["PATH": "/usr/bin:/bin"], atMost: .seconds(60))
        }
        return (output.exitCode, output.standardOutput)
    }

    @Test func getsArchivesWholeInPartAndInParts() async throws {
        let fixture = try await ServerFixture()
        let archive = try fixture.archive("Coast")
        let url = "\(fixture.url)/assets/Coast"
        #expect(try await run(fixture, url).output.elementsEqual(archive))
        #expect(try await run(fixture, "--range", "100-199", url).output.elementsEqual(archive[100..<200]))
        #expect(try await run(fixture, "--range", "-50", url).output.elementsEqual(archive.suffix(50)))
        let parts = try await run(fixture, "--range", "0-9,100-109", url).output
        let text = String(decoding: parts, as: UTF8.self)
        #expect(text.contains("Content-Range: bytes 0-9/\(archive.count)"))
        #expect(text.contains("Content-Range: bytes 100-109/\(archive.count)"))
    }

    @Test func getsArchivesWholeFromAServerWithoutRanges() async throws {
        let fixture = try await ServerFixture(faults: ["no-ranges"])
        let archive = try fixture.archive("Coast")
        for range in ["100-199", "-50", "0-9,100-109"] {
            let answer = try await run(
                fixture, "--range", range, "--write-out", "%{http_code} %header{content-range} %header{accept-ranges}",
                "\(fixture.url)/assets/Coast"
            ).output
            #expect(answer.elementsEqual(archive + Array("200  ".utf8)), "\(range)")
        }
    }

    @Test func seesTheHeadOverHTTP() async throws {
        let fixture = try await ServerFixture()
        let head = String(
            decoding: try await run(fixture, "--head", "\(fixture.url)/assets/Coast").output, as: UTF8.self)
        let lines = head.lowercased().split(whereSeparator: \.isNewline)
        #expect(lines.first?.hasPrefix("http/1.1 200") == true)
        #expect(lines.contains("accept-ranges: bytes"))
        #expect(lines.contains("content-length: \(try fixture.archive("Coast").count)"))
    }

    @Test func refusesTheServerWithoutItsAuthority() async throws {
        let fixture = try await ServerFixture()
        let curl = try #require(CurlProgram.path)
        let url = "\(fixture.url)/manifest"
        let output = try await onOwnThread {
            try ChildProcess.run(
                executable: curl, arguments: ["--silent", "--noproxy", "*", url],
                environment: ["PATH": "/usr/bin:/bin"],
                atMost: .seconds(60))
        }
        #expect(output.exitCode == 60)
    }

    @Test func resumesBehindACut() async throws {
        let fixture = try await ServerFixture(faults: ["cut,after=100kB,times=1"])
        let file = fixture.folder.path.appending("fetched").string
        let url = "\(fixture.url)/assets/Coast"
        #expect(try await run(fixture, "--output", file, url).code == 18)
        #expect(try await run(fixture, "--continue-at", "-", "--output", file, url).code == 0)
        #expect(try File.read(FilePath(file)).elementsEqual(fixture.archive("Coast")))
    }

    @Test func otherMethodsAreRefused() async throws {
        let fixture = try await ServerFixture()
        let head = try await run(fixture, "--include", "--data", "x=1", "\(fixture.url)/manifest").output
        let text = String(decoding: head, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 405"))
        #expect(text.lowercased().contains("allow: get, head"))
    }
}

private enum CurlProgram {
    static let path = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].map { FilePath($0) }
        .first { FileDescriptor.currentDirectory.exists(at: $0) }
}
