// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// A body that goes to a file as it is: the engine's thread writes each piece while it is still in the processor's cache, and wakes
/// nobody.
extension Transfer {
    /// The system's pages, in bytes: one that is written in two goes costs more than twice as much.
    private static let pageSize = 4096

    var writesFile: Bool { state.peek { $0.file != nil } }

    /// On the engine's thread: writes what was taken before and then `bytes`. What ends within a page is kept for the next time,
    /// unless there are no new bytes.
    /// - Returns: nil when the body goes to no file.
    func write(_ bytes: UnsafeRawBufferPointer, behind unpublished: inout Int, in ring: ByteRing) -> Acceptance? {
        // The descriptor stays open for as long as `isWriting` is set.
        let (file, acceptance) = state.withLock(wakingIf: { _ in false }) { state -> (BodyFile?, Acceptance?) in
            guard let file = state.file else { return (nil, nil) }
            if state.end != nil { return (nil, .abandoned) }
            if state.isPausedByCaller, !bytes.isEmpty { return (nil, .pause) }
            let length = file.offset.addingReportingOverflow(Int64(unpublished + bytes.count))
            if length.overflow || length.partialValue > file.limit ?? .max { return (nil, .tooLarge) }
            state.isWriting = true
            return (file, .taken)
        }
        guard let file else { return acceptance }
        var offset = file.offset
        do {
            if bytes.isEmpty || unpublished >= Self.pageSize || ring.oldest(atMost: unpublished).count < unpublished {
                try write(&unpublished, of: ring, to: file.descriptor, at: &offset)
            }
            let beyondPages = Int((offset + Int64(unpublished + bytes.count)) % Int64(Self.pageSize))
            // Less than a page with what was kept may end before the next one begins.
            let rest = beyondPages < bytes.count ? bytes.suffix(beyondPages) : bytes[...]
            let whole = UnsafeRawBufferPointer(rebasing: bytes[..<rest.startIndex])
            if !whole.isEmpty {
                let kept = ring.oldest(atMost: unpublished)
                try file.descriptor.writeAll(toAbsoluteOffset: offset, kept, then: whole)
                offset += Int64(kept.count + whole.count)
                ring.drop(kept.count)
                unpublished = 0
            }
            ring.put(UnsafeRawBufferPointer(rebasing: rest))
            unpublished += rest.count
            wrote(until: offset, nil)
            return .taken
        } catch {
            wrote(until: offset, error)
            end(.failure(HTTPClientError(.cancelled, "What came could not be written.", cause: error)))
            return .abandoned
        }
    }

    /// Writes everything that lies in the ring.
    private func write(
        _ unpublished: inout Int, of ring: ByteRing, to file: FileDescriptor, at offset: inout Int64
    ) throws {
        while unpublished > 0 {
            let oldest = ring.oldest(atMost: unpublished)
            offset += Int64(try file.writeAll(toAbsoluteOffset: offset, oldest))
            ring.drop(oldest.count)
            unpublished -= oldest.count
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
                guard offset <= limit - Int64(bytes.count) else {
                    let place = DisplayURL.text(request.url)
                    throw HTTPClientError(.tooLarge, "\(place) is longer than is taken from there.")
                }
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
