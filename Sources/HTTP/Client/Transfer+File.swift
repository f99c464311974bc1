// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// A body that goes to a file as it is: the engine's thread gathers pieces while they are in the processor's cache, writes many at
/// once, and wakes nobody.
extension Transfer {
    /// Bytes that are written at once, and begin at multiples of that in the file: file systems lay out large pieces for less, and
    /// a page that is written in two goes costs more than twice as much.
    static let writeSize = 128 << 10

    var writesFile: Bool { state.peek { $0.file != nil } }

    /// On the engine's thread: keeps `bytes`, and writes what is kept up to the last multiple of `writeSize`.
    /// - Returns: nil when the body goes to no file.
    func gather(_ bytes: UnsafeRawBufferPointer, behind unpublished: inout Int, in ring: ByteRing) -> Acceptance? {
        let count = unpublished + bytes.count
        let (file, acceptance) = state.withLock(wakingIf: { _ in false }) { state -> (BodyFile?, Acceptance?) in
            guard let file = state.file else { return (nil, nil) }
            if state.end != nil { return (nil, .abandoned) }
            if state.isPausedByCaller { return (nil, .pause) }
            guard file.holds(count) else { return (nil, .tooLarge) }
            let end = file.offset + Int64(count)
            // What came before there was a file may fill the ring.
            let isWhole = end / Int64(Self.writeSize) > file.offset / Int64(Self.writeSize) || count > ring.capacity
            // The descriptor stays open for as long as this is set.
            state.isWriting = isWhole
            return (isWhole ? file : nil, .taken)
        }
        guard acceptance == .taken else { return acceptance }
        var rest = bytes[...]
        if let file {
            let beyond = Int((file.offset + Int64(count)) % Int64(Self.writeSize))
            let first = bytes.prefix(max(0, bytes.count - beyond))
            rest = bytes[first.endIndex...]
            let isWritten = write(to: file) { offset in
                if unpublished + first.count > ring.capacity { try empty(ring, &unpublished, into: file, at: &offset) }
                ring.put(UnsafeRawBufferPointer(rebasing: first))
                unpublished += first.count
                try empty(ring, &unpublished, into: file, at: &offset)
            }
            guard isWritten else { return .abandoned }
        }
        ring.put(UnsafeRawBufferPointer(rebasing: rest))
        unpublished += rest.count
        return .taken
    }

    /// On the engine's thread: writes everything that is kept, or shows it to the reader when the body goes to no file.
    func publish(_ unpublished: inout Int) {
        let count = unpublished
        guard count > 0, case .ring(let ring) = sink else { return }
        let (file, isTooLarge) = state.withLock(wakingIf: { $0.file == nil }) { state -> (BodyFile?, Bool) in
            guard let file = state.file else {
                state.waiting += count
                return (nil, false)
            }
            // What was kept before there was a file counts against its limit only now.
            guard state.end == nil, file.holds(count) else { return (nil, state.end == nil) }
            state.isWriting = true
            return (file, false)
        }
        if let file { _ = write(to: file) { try empty(ring, &unpublished, into: file, at: &$0) } }
        if isTooLarge { end(.failure(tooLarge)) }
        unpublished = 0
    }

    private func empty(
        _ ring: ByteRing, _ unpublished: inout Int, into file: BodyFile, at offset: inout Int64
    ) throws {
        while unpublished > 0 {
            let oldest = ring.oldest(atMost: unpublished)
            offset += Int64(try file.descriptor.writeAll(toAbsoluteOffset: offset, oldest))
            ring.drop(oldest.count)
            unpublished -= oldest.count
        }
        // The next write lies in one piece, and in memory that is in the processor's cache.
        ring.rewind()
    }

    /// Has `body` write with `isWriting` set, and notes how far it came. Returns false, and ends the transfer, when the file takes
    /// no more.
    private func write(to file: BodyFile, _ body: (_ offset: inout Int64) throws -> Void) -> Bool {
        var offset = file.offset
        do {
            try body(&offset)
            wrote(until: offset, nil)
            return true
        } catch {
            wrote(until: offset, error)
            end(.failure(HTTPClientError(.cancelled, "What came could not be written.", cause: error)))
            return false
        }
    }

    private func wrote(until offset: Int64, _ problem: (any Error)?) {
        state.withLock(wakingIf: { $0.end != nil || $0.file == nil }) { state in
            state.isWriting = false
            state.file?.offset = offset
            state.fileProblem = problem
        }
    }

    /// Has the body written to a file from now on, and blocks until its end.
    /// - Parameters:
    ///   - progress: called on the calling thread at most once in an interval, and at the end, with the offset up to which the
    ///     file is written, whenever that has grown.
    ///   - roomMade: called when the paused engine may go on.
    /// - Returns: the offset behind the last byte.
    /// - Throws: `HTTPClientError`; `Errno` when the file takes no more; what `progress` throws. Nothing is written then any more.
    func write(
        to file: BodyFile, every interval: Duration, roomMade: () -> Void, _ progress: (_ offset: Int64) throws -> Void
    ) throws -> Int64 {
        var file = file
        var told = file.offset
        while !takeOver(file, roomMade) {
            let (offset, limit) = (file.offset, file.limit ?? .max)
            let count = try read(atMost: 256 << 10, patience: nil, roomMade: roomMade) { bytes in
                guard offset <= limit - Int64(bytes.count) else { throw tooLarge }
                try file.descriptor.writeAll(toAbsoluteOffset: offset, bytes)
            }
            file.offset += Int64(count ?? 0)
        }
        defer { giveBack() }
        while true {
            let (offset, end) = look(atMost: interval)
            if offset > told {
                told = offset
                try progress(offset)
            }
            guard let end else { continue }
            try end.get()
            return offset
        }
    }

    /// Leaves the file to the engine; false while there are bytes that came before.
    private func takeOver(_ file: BodyFile, _ roomMade: () -> Void) -> Bool {
        let (isDone, resumes) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting == 0, !state.isReading else { return (false, false) }
            state.file = file
            defer { state.isPausedForSpace = false }
            return (true, state.isPausedForSpace)
        }
        if resumes { roomMade() }
        return isDone
    }

    /// Waits for the end, and no longer than `limit`.
    private func look(atMost limit: Duration) -> (Int64, Result<Void, any Error>?) {
        let end = state.wait(atMost: limit) { state -> Result<Void, any Error>? in
            guard !state.isWriting else { return nil }
            if let problem = state.fileProblem { return .failure(problem) }
            return state.end.map { $0.mapError { $0 as any Error } }
        }
        return (state.peek { $0.file?.offset ?? 0 }, end)
    }

    /// Waits until the engine lets go of the file.
    private func giveBack() {
        state.withLock { $0.file = nil }
        state.wait { $0.isWriting ? nil : () }
    }
}
