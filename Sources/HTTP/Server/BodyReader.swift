// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Hands a body out piece by piece, as well or as badly as its behaviour says.
struct BodyReader {
    enum Step: Equatable {
        case bytes(Int)
        /// Nothing before that much time after the body's start; nil: never again.
        case wait(Duration?)
        case end
        /// The connection must be closed now.
        case close
        case reset
    }

    private let segments: [BodySegment]
    private let behaviour: BodyBehaviour
    private var index = 0
    private var segmentOffset: Int64 = 0
    private var position: Int64 = 0

    init(_ segments: [BodySegment], _ behaviour: BodyBehaviour) {
        self.segments = segments
        self.behaviour = behaviour
    }

    /// The next bytes.
    /// - Parameter elapsed: since the body's start.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer, elapsed: Duration) -> Step {
        var room = Int64(buffer.count)
        if let kind = behaviour.breaks {
            room = min(room, behaviour.breakOffset - position)
            if room <= 0 {
                switch kind {
                case .stall: return .wait(nil)
                case .cut: return .close
                case .reset: return .reset
                }
            }
        }
        let allowed = behaviour.allowance(elapsed: elapsed) - position
        if allowed <= 0 { return .wait(behaviour.elapsed(for: position + behaviour.burst)) }
        room = min(room, allowed)
        return fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)]))
    }

    private mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Step {
        while index < segments.count, segments[index].count == segmentOffset {
            index += 1
            segmentOffset = 0
        }
        guard index < segments.count else {
            guard behaviour.isEndless else { return .end }
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            position += Int64(buffer.count)
            return .bytes(buffer.count)
        }
        let count: Int
        switch segments[index] {
        case .bytes(let bytes):
            count = min(buffer.count, bytes.count - Int(segmentOffset))
            bytes.withUnsafeBytes { source in
                let start = Int(segmentOffset)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + count]))
            }
        case .file(let file, let offset, let length):
            let room = min(Int64(buffer.count), length - segmentOffset)
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)])
            // A file that became shorter cannot keep the promised length any more.
            guard let read = try? file.read(at: offset + segmentOffset, into: piece), read > 0 else { return .close }
            count = read
        }
        if let wrong = behaviour.wrongByte, wrong >= position, wrong < position + Int64(count) {
            buffer[Int(wrong - position)] ^= 0xFF
        }
        segmentOffset += Int64(count)
        position += Int64(count)
        return .bytes(count)
    }
}
