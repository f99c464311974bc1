// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux
internal import CMicroHTTPDShim
internal import Glibc
internal import Kit
internal import System

/// Where bodies wait that may not be sent yet, or never will be.
///
/// libmicrohttpd does not look at suspended connections at all. One thread here does: it lets a body go on when its time
/// has come, and gives it up when the client has left. It exists from the first wait until the server stops, and has no
/// timer of its own.
final class ParkingLot: Sendable {
    private struct Place {
        let stream: ResponseStream
        let socket: CInt
        let until: SuspendingClock.Instant?
    }

    private struct State {
        var isClosed = false
        var places: [ObjectIdentifier: Place] = [:]
        var thread: WorkerThread?
        var waker: FileDescriptor?
    }

    private let state = Locked(State())
    private let clock = SuspendingClock()

    /// Suspends the stream's connection until that instant; nil: until the client leaves. False when the lot is closed.
    func park(_ stream: ResponseStream, until: SuspendingClock.Instant?) -> Bool {
        state.withLock { state in
            guard !state.isClosed, startThread(&state) else { return false }
            stream.connection.suspend()
            state.places[ObjectIdentifier(stream)] = Place(
                stream: stream, socket: stream.connection.socket, until: until)
            wake(state)
            return true
        }
    }

    /// Gives up whatever waits, and refuses from now on.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for place in state.places.values {
                place.stream.giveUp()
                place.stream.connection.resume()
            }
            state.places = [:]
            wake(state)
        }
    }

    /// Waits for the thread's end after `close`.
    func join() {
        let (thread, waker) = state.withLock { state in
            defer { state.waker = nil }
            return (state.thread, state.waker)
        }
        thread?.join()
        _ = try? waker?.close()
    }

    private func startThread(_ state: inout State) -> Bool {
        if state.thread != nil { return true }
        guard let number = try? systemCall({ clinux_eventfd() }) else { return false }
        let waker = FileDescriptor(rawValue: number)
        guard let thread = try? WorkerThread.start(name: "larder-parking", { self.watch(waker) }) else {
            _ = try? waker.close()
            return false
        }
        state.waker = waker
        state.thread = thread
        return true
    }

    private func wake(_ state: State) {
        guard let waker = state.waker else { return }
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { try? waker.write($0) }
    }

    // MARK: The thread

    private func watch(_ waker: FileDescriptor) {
        while let (polled, streams, timeout) = nextPoll(waker) {
            var polled = polled
            _ = poll(&polled, nfds_t(polled.count), timeout)
            if polled[0].revents != 0 {
                var count: UInt64 = 0
                _ = withUnsafeMutableBytes(of: &count) { try? waker.read(into: $0) }
            }
            var left: Set<ObjectIdentifier> = []
            for (index, stream) in streams.enumerated() where polled[index + 1].revents != 0 { left.insert(stream) }
            resume(left)
        }
    }

    private func nextPoll(_ waker: FileDescriptor) -> ([pollfd], [ObjectIdentifier], CInt)? {
        let now = clock.now
        return state.withLock { state in
            if state.isClosed { return nil }
            let hangUp = Int16(POLLIN) | Int16(POLLHUP)
            var polled = [pollfd(fd: waker.rawValue, events: hangUp, revents: 0)]
            var streams: [ObjectIdentifier] = []
            var timeout: CInt = -1
            for (id, place) in state.places {
                // The other side's close, not what it sends: requests in advance are none of this thread's business.
                polled.append(pollfd(fd: place.socket, events: Int16(larder_mhd_poll_peer_closed), revents: 0))
                streams.append(id)
                guard let until = place.until else { continue }
                let (seconds, attoseconds) = now.duration(to: until).components
                let milliseconds =
                    min(max(0, seconds), 1 << 20) * 1000 + max(0, attoseconds) / 1_000_000_000_000_000 + 1
                timeout = timeout < 0 ? CInt(milliseconds) : min(timeout, CInt(milliseconds))
            }
            return (polled, streams, timeout)
        }
    }

    private func resume(_ left: Set<ObjectIdentifier>) {
        let now = clock.now
        state.withLock { state in
            for (id, place) in state.places {
                let isLeft = left.contains(id)
                guard isLeft || place.until.map({ $0 <= now }) ?? false else { continue }
                if isLeft { place.stream.giveUp() }
                state.places[id] = nil
                place.stream.connection.resume()
            }
        }
    }
}
