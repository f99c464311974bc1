// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@Suite("Sockets")
struct SocketTests {
    private func channels() throws -> (FrameChannel, FrameChannel) {
        let (left, right) = try UnixSocket.pair()
        return (FrameChannel(OwnedDescriptor(left)), FrameChannel(OwnedDescriptor(right)))
    }

    @Test("Frames of any size arrive whole and in order")
    func frames() async throws {
        let (left, right) = try channels()
        var generator = SeededGenerator.forTest()
        let messages = [0, 1, 5, 70_000, 3_000_000].map { generator.bytes($0) }
        let sender = try WorkerThread.start(name: "sender") {
            for message in messages { _ = try? left.send(message) }
            left.close()
        }
        try await onOwnThread { () throws in
            for message in messages { #expect(try right.receive() == message) }
            #expect(try right.receive() == nil)
        }
        sender.join()
    }

    @Test("Messages of several senders are not mixed")
    func concurrentSenders() async throws {
        let (left, right) = try channels()
        let threads = try (0..<4).map { number in
            try WorkerThread.start(name: "sender") {
                for _ in 0..<200 { _ = try? left.send(Array(repeating: UInt8(number), count: 5000)) }
            }
        }
        try await onOwnThread {
            for _ in 0..<800 {
                let message = try #require(try right.receive())
                #expect(message.count == 5000)
                #expect(Set(message).count == 1)
            }
        }
        for thread in threads { thread.join() }
    }

    @Test("What is offered to an end that does not read is kept, and goes whole and in order")
    func offers() async throws {
        let (left, right) = try channels()
        var generator = SeededGenerator.forTest()
        let messages = (0..<200).map { _ in generator.bytes(Int.random(in: 0...40_000, using: &generator)) }
        // More than any socket holds: from some message on there is a rest.
        let taken = try messages.map { try left.offer($0) }
        #expect(taken.first == true && taken.last == false)
        let firstKept = try #require(taken.firstIndex(of: false))
        #expect(!taken[firstKept...].contains(true))
        let last = generator.bytes(10)
        let sender = try WorkerThread.start(name: "sender") {
            try? left.flush()
            // The end that reads may be slow still.
            if (try? left.offer(last)) == false { try? left.flush() }
            left.close()
        }
        try await onOwnThread { () throws in
            for message in messages { #expect(try right.receive() == message) }
            #expect(try right.receive() == last)
            #expect(try right.receive() == nil)
        }
        sender.join()
    }

    @Test("Offers beside senders that wait are not mixed with what they send")
    func offersBesideSenders() async throws {
        let (left, right) = try channels()
        let threads = try (0..<4).map { number in
            try WorkerThread.start(name: "sender") {
                for _ in 0..<200 {
                    let message = Array(repeating: UInt8(number), count: 50_000)
                    guard number < 2 else {
                        _ = try? left.send(message)
                        continue
                    }
                    if (try? left.offer(message)) == false { try? left.flush() }
                }
            }
        }
        try await onOwnThread {
            for _ in 0..<800 {
                let message = try #require(try right.receive())
                #expect(message.count == 50_000)
                #expect(Set(message).count == 1)
            }
        }
        for thread in threads { thread.join() }
    }

    @Test("Messages that come in one piece, and in many, are told apart")
    func framing() async throws {
        let (left, right) = try UnixSocket.pair()
        let channel = FrameChannel(OwnedDescriptor(right))
        let messages: [[UInt8]] = [[1], [], Array(repeating: 2, count: 9000), [3, 4]]
        let bytes = messages.flatMap { message in
            withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
        }
        #expect(!channel.hasEnded)
        try left.writeAll(bytes)
        try await onOwnThread { () throws in
            for message in messages { #expect(try channel.receive() == message) }
        }
        let sender = try WorkerThread.start(name: "sender") {
            for byte in bytes.prefix(5) + bytes.suffix(6) { _ = try? left.writeAll([byte]) }
            try? left.close()
        }
        try await onOwnThread { () throws in
            #expect(try channel.receive() == [1])
            #expect(try channel.receive() == [3, 4])
            // A process that another test starts at this moment holds the other end until it is another program.
            #expect(try channel.receive() == nil)
        }
        sender.join()
        #expect(channel.hasEnded)
    }

    @Test("Whether the other end has gone is seen without reading")
    func seesTheEnd() throws {
        let (left, right) = try channels()
        try left.send([1])
        #expect(!right.hasEnded)
        left.close()
        // What it said before is still there to be read.
        #expect(!right.hasEnded)
        #expect(try right.receive() == [1])
        #expect(right.hasEnded)
        #expect(left.hasEnded)
    }

    @Test("A length over the limit, and a message cut off, are errors; nothing is held for what was only announced")
    func badFrames() throws {
        let (left, right) = try UnixSocket.pair()
        let channel = FrameChannel(OwnedDescriptor(right))
        try left.writeAll([0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try #require(throws: KitError.self) { try channel.receive() }.code == .frameTooLarge)
        try left.close()

        for cut in [[0, 0], [0, 0, 0, 9, 1, 2]] as [[UInt8]] {
            let (left, right) = try UnixSocket.pair()
            let channel = FrameChannel(OwnedDescriptor(right))
            try left.writeAll(cut)
            try left.close()
            #expect(try #require(throws: KitError.self) { try channel.receive() }.code == .frameCut)
        }
        let (one, _) = try channels()
        let tooLarge = [UInt8](repeating: 0, count: FrameChannel.maximumPayload + 1)
        #expect(try #require(throws: KitError.self) { try one.send(tooLarge) }.code == .frameTooLarge)
    }

    @Test("Closing frees a blocked receiver and a blocked sender")
    func closeWakes() async throws {
        let (left, right) = try channels()
        let receiver = Monitor<Bool?>(nil)
        let thread = try WorkerThread.start(name: "receiver") {
            do {
                let message = try left.receive()
                receiver.withLock { $0 = message == nil }
            } catch {
                receiver.withLock { $0 = false }
            }
        }
        left.close()
        let ended = try await onOwnThread { receiver.wait { $0 } }
        #expect(ended)
        thread.join()
        #expect(throws: Errno.brokenPipe) { try left.send([1]) }
        let last = try await onOwnThread { try right.receive() }
        #expect(last == nil)
    }

    @Test("A listener tells who is there, refuses a second, and takes over from a dead one")
    func listener() async throws {
        try await Scratch.with { scratch in
            let path = scratch("s")
            let listener = try UnixListener(path: path)
            #expect(try FileDescriptor.currentDirectory.status(at: path).permissions == .filePrivate)
            let accepted = Monitor<PeerCredentials?>(nil)
            let thread = try WorkerThread.start(name: "accept") {
                while let socket = try? listener.accept() {
                    let peer = try? FrameChannel(socket).peer()
                    accepted.withLock { $0 = peer }
                }
            }
            try await onOwnThread {
                let client = try UnixSocket.connect(path)
                let peer = accepted.wait { $0 }
                let own = try PeerCredentials(of: client.borrowed)
                #expect(peer.processID == own.processID)
                #expect(peer.userID == own.userID)
                let error = try #require(throws: KitError.self) { try UnixListener(path: path) }
                #expect(error.code == .peerAlive)
                listener.close()
                thread.join()
            }
            #expect(!FileDescriptor.currentDirectory.exists(at: path))
        }
    }

    @Test("A socket that nobody listens at is replaced")
    func staleSocket() async throws {
        try await Scratch.with { scratch in
            let path = scratch("s")
            // A child makes the socket and dies without removing it.
            let script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()"
            let output = try await onOwnThread {
                try ChildProcess.run(executable: "python3", arguments: ["-c", script, path.string])
            }
            try #require(output.exitCode == 0, "\(output.errorText)")
            let error = try #require(throws: KitError.self) { _ = try UnixSocket.connect(path) }
            #expect(error.cause as? Errno == .connectionRefused)
            let listener = try UnixListener(path: path)
            listener.close()
        }
    }

    @Test("A path that is too long is refused with the limit")
    func longPath() throws {
        let path = FilePath("/tmp/" + String(repeating: "x", count: 110))
        let error = try #require(throws: KitError.self) { _ = try UnixSocket.connect(path) }
        #expect(error.message.contains("107"))
    }
}
