// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTPSupport
import Kit
import System
import TestSupport
import Testing

@testable import HTTP

/// Bodies that go straight to a file.
@Suite(.timeLimit(.minutes(5))) struct HTTPClientFileTests {
    private func serve(_ body: [UInt8], length: Bool = true) throws -> ScriptedServer {
        try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\n\(length ? "Content-Length: \(body.count)\r\n" : "Connection: close\r\n")\r\n")
            connection.send(body)
        }
    }

    @Test(arguments: [1, 100_000, 5 << 20])
    func theFileHasEveryByteWhereItBelongs(_ count: Int) async throws {
        try await Scratch.with { scratch in
            let body = pattern(count)
            let server = try serve(body)
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            let told = try await onOwnThread { () -> [Int64] in
                let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                try file.borrowed.writeAll([1, 2, 3])
                var told: [Int64] = []
                let end = try download.write(to: file.borrowed, from: 3, every: .milliseconds(1)) { told.append($0) }
                #expect(end == Int64(3 + count))
                return told
            }
            #expect(try File.read(scratch("file")) == [1, 2, 3] + body)
            // It only grows, and the last word is the whole.
            #expect(told == told.sorted() && Set(told).count == told.count && told.last == Int64(3 + count))
        }
    }

    @Test func whatCameBeforeIsWrittenFirst() async throws {
        try await Scratch.with { scratch in
            let body = pattern(3 << 20)
            let server = try serve(body)
            // Full before anybody looks: the connection pauses, and goes on when the file is there.
            let client = HTTPClient.forTests { $0.bufferSize = 128 << 10 }
            let download = client.start(HTTPRequest(url: server.url))
            _ = try await download.head()
            let path = scratch("file")
            try await onOwnThread {
                let first = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
                defer { first.deallocate() }
                var count = 0
                while count < 1000 {
                    count += try download.read(into: UnsafeMutableRawBufferPointer(rebasing: first[count...]))
                }
                #expect(Array(first) == Array(body[..<1000]))
                let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                _ = try download.write(to: file.borrowed, from: 0, every: .seconds(60)) { _ in }
            }
            #expect(try File.read(scratch("file")).elementsEqual(body[1000...]))
        }
    }

    /// Pieces that end anywhere within what is written at once, from any place in the file on.
    @Test(arguments: [0, 1, 4095, 70_001, 131_071, 131_072] as [Int64])
    func piecesOfAnySizeFollowEachOther(_ start: Int64) async throws {
        try await Scratch.with { scratch in
            var generator = SeededGenerator.forTest()
            let body = pattern(2_000_000)
            var cuts = [0, body.count]
            for _ in 0..<60 { cuts.append(Int.random(in: 0...body.count, using: &generator)) }
            for _ in 0..<60 { cuts.append(Int.random(in: 0...100_000, using: &generator)) }
            cuts.sort()
            let pieces = zip(cuts, cuts.dropFirst()).map { Array(body[$0..<$1]) }
            let server = try ScriptedServer { connection in
                _ = connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                for piece in pieces { connection.send(piece) }
            }
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            try await onOwnThread {
                let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                _ = try download.write(to: file.borrowed, from: start, every: .seconds(60)) { _ in }
            }
            #expect(try File.read(scratch("file")).elementsEqual([UInt8](repeating: 0, count: Int(start)) + body))
        }
    }

    @Test func aFileThatTakesNothingEndsTheDownload() async throws {
        try await Scratch.with { scratch in
            let server = try serve(pattern(1 << 20))
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            _ = try scratch.write([UInt8](), to: "file")
            await #expect(throws: Errno.badFileDescriptor) {
                try await onOwnThread {
                    let file = try OwnedDescriptor(path, .readOnly)
                    _ = try download.write(to: file.borrowed, from: 0, every: .seconds(60)) { _ in }
                }
            }
            #expect(try File.read(scratch("file")).isEmpty)
        }
    }

    @Test func theFileDoesNotGrowBeyondItsLimit() async throws {
        try await Scratch.with { scratch in
            let body = pattern(1 << 20)
            let server = try serve(body, length: false)
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            let error = await #expect(throws: HTTPClientError.self) {
                try await onOwnThread {
                    let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                    _ = try download.write(to: file.borrowed, from: 0, limit: 100_000, every: .seconds(60)) { _ in }
                }
            }
            #expect(error?.code == .tooLarge)
            let written = try File.read(scratch("file"))
            #expect(written.count <= 100_000 && written.elementsEqual(body[..<written.count]))
        }
    }

    @Test func whatCameBeforeThereWasAFileIsBoundByItsLimitToo() async throws {
        try await Scratch.with { scratch in
            let transfer = Transfer(HTTPRequest(url: "http://h/body"), sink: .ring(ByteRing(capacity: 4096)))
            let path = scratch("file")
            // The engine keeps what it took, and has not told of it.
            var kept = 0
            let first = pattern(101).withUnsafeBytes { transfer.accept($0, unpublished: &kept) }
            #expect(first == .taken && kept == 101)
            let written = Task {
                try await onOwnThread {
                    let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                    let body = Transfer.BodyFile(descriptor: file.borrowed, offset: 0, limit: 100)
                    return try transfer.write(to: body, every: .seconds(60), roomMade: {}) { _ in }
                }
            }
            try await onOwnThread { [kept] in
                var kept = kept
                transfer.state.wait { $0.file == nil ? nil : () }
                transfer.publish(&kept)
            }
            let error = await #expect(throws: HTTPClientError.self) { try await written.value }
            #expect(error?.code == .tooLarge)
            #expect(try File.read(scratch("file")).isEmpty)
        }
    }

    @Test func nothingIsWrittenOnceTheCallerHasEnough() async throws {
        struct Enough: Error {}
        try await Scratch.with { scratch in
            let server = try ScriptedServer { connection in
                _ = connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 40)\r\n\r\n")
                let piece = [UInt8](repeating: 7, count: 64 << 10)
                while connection.send(piece) == piece.count {}
            }
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            try await onOwnThread {
                let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                #expect(throws: Enough.self) {
                    try download.write(to: file.borrowed, from: 0, every: .milliseconds(1)) { _ in throw Enough() }
                }
                let size = try file.borrowed.status().size
                #expect(size > 0)
                // The ring takes more; the file does not.
                _ = try withUnsafeTemporaryAllocation(byteCount: 1000, alignment: 1) { try download.read(into: $0) }
                #expect(try file.borrowed.status().size == size)
            }
        }
    }

    @Test func whatCameIsToldThoughNoMoreComes() async throws {
        try await Scratch.with { scratch in
            let isTold = Monitor(false)
            let server = try ScriptedServer { connection in
                _ = connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
                isTold.wait { $0 ? () : nil }
                connection.send("67890")
            }
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            _ = try await download.head()
            let path = scratch("file")
            try await onOwnThread {
                // In the ring before there is a file.
                let one = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try download.read(into: $0) }
                #expect(one == 1)
                let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                _ = try download.write(to: file.borrowed, from: 0, every: .milliseconds(1)) { offset in
                    if offset == 4 { isTold.withLock { $0 = true } }
                }
            }
            #expect(try File.read(scratch("file")) == Array("234567890".utf8))
        }
    }

    /// Less than is written at once, and never quiet for long.
    @Test func whatTricklesIsToldLongBeforeItsEnd() async throws {
        try await Scratch.with { scratch in
            let isTold = Monitor(false)
            let count = 100_000
            let server = try ScriptedServer { connection in
                _ = connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
                var sent = 0
                while sent < count, isTold.wait(atMost: .milliseconds(1), { $0 ? () : nil }) == nil {
                    guard connection.send([7]) == 1 else { return }
                    sent += 1
                }
                connection.send([UInt8](repeating: 7, count: count - sent))
            }
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            let first = try await offload { () -> Int64? in
                let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                var first: Int64?
                _ = try download.write(to: file.borrowed, from: 0, every: .milliseconds(1)) { offset in
                    first = first ?? offset
                    isTold.withLock { $0 = true }
                }
                return first
            }
            #expect(try #require(first) < count)
            #expect(try File.read(scratch("file")) == [UInt8](repeating: 7, count: count))
        }
    }

    @Test func cancellingEndsIt() async throws {
        try await Scratch.with { scratch in
            let server = try ScriptedServer { connection in
                _ = connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
                _ = connection.readRequest()
            }
            let download = HTTPClient.forTests().start(HTTPRequest(url: server.url))
            let path = scratch("file")
            let error = await #expect(throws: HTTPClientError.self) {
                try await onOwnThread {
                    let file = try OwnedDescriptor(path, .readWrite, options: .create, permissions: .filePrivate)
                    _ = try download.write(to: file.borrowed, from: 0, every: .milliseconds(1)) { offset in
                        if offset == 5 { download.cancel() }
                    }
                }
            }
            #expect(error?.code == .cancelled)
            #expect(try File.read(scratch("file")) == Array("12345".utf8))
        }
    }

    @Test func manyBodiesShareAFewThreads() async throws {
        try await Scratch.with { scratch in
            let bodies = (0..<8).map { pattern(200_000 + $0) }
            let servers = try bodies.map { try serve($0) }
            let client = HTTPClient.forTests { $0.threads = 3 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, server) in servers.enumerated() {
                    let path = scratch("file-\(index)")
                    group.addTask {
                        let download = client.start(HTTPRequest(url: server.url))
                        try await onOwnThread {
                            let file = try OwnedDescriptor(
                                path, .readWrite, options: .create, permissions: .filePrivate)
                            _ = try download.write(to: file.borrowed, from: 0, every: .seconds(60)) { _ in }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for (index, body) in bodies.enumerated() { #expect(try File.read(scratch("file-\(index)")) == body) }
        }
    }
}
