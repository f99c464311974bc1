// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Lines of a base that were read: what instructions copy is short and next to what they copied before, so that a system call
/// for each would take longer than the copying.
final class BaseLines {
    private static let lineSize = 8 << 10
    private static let lineCount = 128

    private let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BaseLines.lineSize * BaseLines.lineCount, alignment: 4096)
    /// Which line of the base each of these is; -1 for none.
    private var lines = [Int](repeating: -1, count: BaseLines.lineCount)

    deinit { memory.deallocate() }

    /// What comes is of another base.
    func forget() {
        for place in lines.indices { lines[place] = -1 }
    }

    /// Fills `target` with the bytes from `offset` on; both lie within the base.
    /// - Throws: what reading the base throws.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int, of base: some DeltaSource) throws {
        guard target.count < Self.lineSize else { return try base.read(into: target, at: offset) }
        var done = 0
        while done < target.count {
            let (line, start) = (offset &+ done).quotientAndRemainder(dividingBy: Self.lineSize)
            let bytes = try bytes(of: line, base)
            let part = bytes[start..<min(bytes.count, start &+ target.count &- done)]
            UnsafeMutableRawBufferPointer(rebasing: target[done...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: part))
            done &+= part.count
        }
    }

    private func bytes(of line: Int, _ base: some DeltaSource) throws -> UnsafeRawBufferPointer {
        let place = line % Self.lineCount
        let first = place &* Self.lineSize
        let count = min(Self.lineSize, base.size &- line &* Self.lineSize)
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[first..<first &+ count])
        if lines[place] != line {
            lines[place] = -1
            try base.read(into: room, at: line &* Self.lineSize)
            lines[place] = line
        }
        return UnsafeRawBufferPointer(room)
    }
}
