// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc
internal import System

/// Messages over a stream socket: each is its length as four bytes, most significant first, then that many bytes.
///
/// One thread at a time receives; any thread may send. Closing wakes both.
package final class FrameChannel: Sendable {
    /// The largest message that is sent or taken, in bytes.
    package static let maximumPayload = 16 << 20

    private let socket: OwnedDescriptor
    private let sending = Locked(())
    /// What `offer` could not send yet; only who sends takes from it.
    private let unsent = Locked<[UInt8]>([])
    private let closed = Locked(false)
    /// What came behind the last message; only who receives takes from it.
    private let ahead = Locked<[UInt8]>([])

    package init(_ socket: consuming OwnedDescriptor) { self.socket = socket }

    /// The other end.
    /// - Throws: `Errno`
    package func peer() throws -> PeerCredentials { try PeerCredentials(of: socket.borrowed) }

    /// Sends one message whole; blocks while the other end does not take it.
    /// - Throws: `KitError` when it is too large; `Errno`, such as `brokenPipe` when the other end is gone.
    package func send(_ payload: [UInt8]) throws {
        let frame = try Self.frame(payload)
        try sending.withLock { _ in
            try sendUnsent()
            try frame.withUnsafeBytes { _ = try transmit($0, waiting: true) }
        }
    }

    /// Sends one message as far as that needs no waiting, and keeps the rest.
    /// - Returns: false when there is a rest: it goes with `flush`, on a thread that may block, or with the next `send`.
    /// - Throws: as `send`.
    package func offer(_ payload: [UInt8]) throws -> Bool {
        let frame = try Self.frame(payload)
        let isSent = try sending.withLockIfAvailable { _ in
            // Behind what waits already nothing can go.
            let isFirst = unsent.withLock { $0.isEmpty }
            let sent = isFirst ? try frame.withUnsafeBytes { try transmit($0, waiting: false) } : 0
            guard sent < frame.count else { return true }
            // What has begun goes on before what came meanwhile.
            unsent.withLock { $0.insert(contentsOf: frame[sent...], at: sent > 0 ? 0 : $0.endIndex) }
            return false
        }
        if let isSent { return isSent }
        unsent.withLock { $0 += frame }
        return false
    }

    /// Sends what `offer` kept; blocks while the other end does not take it.
    /// - Throws: as `send`.
    package func flush() throws { try sending.withLock { _ in try sendUnsent() } }

    private static func frame(_ payload: [UInt8]) throws -> [UInt8] {
        guard payload.count <= maximumPayload else {
            throw KitError(
                .frameTooLarge, "A message of \(payload.count) bytes is over the limit of \(maximumPayload).")
        }
        let length = UInt32(payload.count)
        var frame: [UInt8] = []
        frame.reserveCapacity(4 + payload.count)
        for shift in [24, 16, 8, 0] as [UInt32] { frame.append(UInt8(truncatingIfNeeded: length >> shift)) }
        frame += payload
        return frame
    }

    private func sendUnsent() throws {
        let rest = unsent.withLock { unsent in
            defer { unsent = [] }
            return unsent
        }
        try rest.withUnsafeBytes { _ = try transmit($0, waiting: true) }
    }

    /// - Returns: how many bytes went; all of them when it waits.
    private func transmit(_ bytes: UnsafeRawBufferPointer, waiting: Bool) throws -> Int {
        let flags = CInt(MSG_NOSIGNAL) | (waiting ? 0 : CInt(MSG_DONTWAIT))
        let number = socket.borrowed.rawValue
        var sent = 0
        while sent < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
            do {
                sent += try systemCall { Glibc.send(number, rest.baseAddress, rest.count, flags) }
            } catch Errno.resourceTemporarilyUnavailable where !waiting {
                break
            }
        }
        return sent
    }

    /// Blocks until a message has come; nil when the other end closed between messages, or this end was closed.
    /// - Throws: `KitError` when a message is cut off or too large; the channel is of no use then. `Errno`
    package func receive() throws -> [UInt8]? {
        do {
            var bytes = ahead.withLock { ahead in
                defer { ahead = [] }
                return ahead
            }
            guard try fill(&bytes, 4, endIsFine: true) else { return nil }
            let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= Self.maximumPayload else {
                throw KitError(
                    .frameTooLarge, "The other end announced \(length) bytes, over the limit of \(Self.maximumPayload)."
                )
            }
            _ = try fill(&bytes, 4 + length, endIsFine: false)
            if bytes.count > 4 + length {
                ahead.withLock { $0 = Array(bytes[(4 + length)...]) }
                return Array(bytes[4..<4 + length])
            }
            bytes.removeFirst(4)
            return bytes
        } catch {
            if closed.withLock({ $0 }) { return nil }
            throw error
        }
    }

    /// Reads until there are `count` bytes at least; most messages come whole with the first look.
    /// - Returns: false at the end, before the first byte.
    private func fill(_ bytes: inout [UInt8], _ count: Int, endIsFine: Bool) throws -> Bool {
        // Memory grows with what has come, not with what was announced.
        while bytes.count < count {
            let wanted = max(4 << 10, min(count - bytes.count, 256 << 10))
            let got = try withUnsafeTemporaryAllocation(byteCount: wanted, alignment: 1) { buffer in
                let got = try socket.borrowed.read(into: buffer)
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<got]))
                return got
            }
            if got == 0 {
                if endIsFine, bytes.isEmpty { return false }
                throw KitError(.frameCut, "The other end closed in the middle of a message.")
            }
        }
        return true
    }

    /// Whether the other end has closed, or this one, as can be seen without waiting and without taking anything. For when nobody
    /// receives.
    package var hasEnded: Bool {
        guard !closed.withLock({ $0 }) else { return true }
        var byte: UInt8 = 0
        let flags = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
        let count = recv(socket.borrowed.rawValue, &byte, 1, flags)
        return count == 0 || (count < 0 && ![.resourceTemporarilyUnavailable, .interrupted].contains(Errno.current))
    }

    /// Says that nothing more is sent; the other end reads the end, and may still send.
    package func finishSending() { shutdown(socket.borrowed.rawValue, CInt(SHUT_WR)) }

    /// Blocks until every holder of the other end has closed it or died; what still comes is thrown away.
    /// - Returns: false when nothing has come for `limit`, and somebody holds it still.
    package func drain(atMost limit: Duration) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            while true {
                var entry = pollfd(fd: socket.borrowed.rawValue, events: Int16(POLLIN), revents: 0)
                let ready = poll(&entry, 1, Int32(clamping: Int(limit / .milliseconds(1))))
                if ready == 0 { return false }
                if ready < 0, Errno.current == .interrupted { continue }
                guard ready > 0, let count = try? socket.borrowed.read(into: buffer), count > 0 else { return true }
            }
        }
    }

    /// Ends both directions: a blocked `receive` returns nil, a blocked `send` throws. The number is freed on release.
    package func close() {
        closed.withLock { $0 = true }
        shutdown(socket.borrowed.rawValue, CInt(SHUT_RDWR))
    }
}
