// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One chunk of an LZBITMAP stream. Apple documents none of it; what is known was found by looking at what Apple's tools
/// write. A stream is `ZBM\t`, then chunks, the last of which gives nothing. Numbers are little-endian, of three bytes:
///
///     size, content size                     chunks whose size is content size + 6 hold plain bytes
///     three offsets from the chunk's start   of the distances, the masks and the steps
///     literals ... distances ... masks ... steps ... 12 common masks of 10 bits, in the last 17 bytes
///
/// A step is half a byte, the low half first. 3 to 14 name a common mask; 0 to 2 take the next of the masks, and say how
/// many bytes of a new distance come with it, which a common mask's upper two bits say for itself. 15 behind a step repeats
/// it: four times, and once more for each unit of the half bytes that follow up to one that is not 15. A mask gives eight
/// bytes, the lowest bit first: 1 takes a literal, 0 the byte that lies the distance back, be it in an earlier chunk.
struct LZBitmapChunk {
    static let magic: [UInt8] = [0x5a, 0x42, 0x4d, 0x09]
    static let headSize = 6
    static let largestContent = 1 << 15
    /// As far back as a distance of two bytes reaches.
    static let window = 1 << 16

    private static let fullHeadSize = 15
    private static let commonMaskCount = 12
    private static let commonMaskBytes = 17

    /// Bytes in the stream, head included.
    let size: Int
    /// Bytes that come out; 0 ends the stream.
    let contentSize: Int

    var isPlain: Bool { size == contentSize + Self.headSize }

    /// Reads the head; nil when `bytes` are too few.
    /// - Throws: `CodecFailure.damaged`
    init?(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count >= Self.headSize else { return nil }
        size = Self.number(bytes, 0)
        contentSize = Self.number(bytes, 3)
        guard size >= Self.headSize, contentSize <= Self.largestContent else { throw CodecFailure.damaged }
    }

    /// Decodes the chunk, whose bytes are `bytes`, to `output`.
    /// - Parameter history: how many bytes of earlier output lie right before `output`.
    /// - Throws: `CodecFailure.damaged`
    func decode(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer, history: Int) throws {
        guard bytes.count == size else { throw CodecFailure.truncated }
        if isPlain {
            let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.headSize))
            UnsafeMutableRawBufferPointer(start: output, count: contentSize).copyMemory(from: content)
            return
        }
        guard size >= max(Self.fullHeadSize, Self.commonMaskBytes) else { throw CodecFailure.damaged }
        var reader = Reader(
            bytes: bytes, distances: Self.number(bytes, 6), masks: Self.number(bytes, 9), steps: Self.number(bytes, 12))
        let common = try commonMasks(bytes)
        var written = 0
        while written < contentSize {
            let step = try reader.step()
            // A last mask is never repeated: what follows it is no longer a step.
            let count = contentSize - written > 8 ? try reader.repetitions() : 1
            for _ in 0..<count where written < contentSize {
                let mask = step > 2 ? common[Int(step) - 3] : Mask(bits: try reader.mask(), distanceBytes: Int(step))
                if mask.distanceBytes > 0 { try reader.changeDistance(mask.distanceBytes) }
                try reader.apply(
                    mask.bits, to: output + written, count: min(8, contentSize - written), history: history + written)
                written += 8
            }
        }
    }

    private struct Mask {
        var bits: UInt8
        var distanceBytes: Int
    }

    private func commonMasks(_ bytes: UnsafeRawBufferPointer) throws -> [Mask] {
        let start = 8 * (size - Self.commonMaskBytes)
        return try (0..<Self.commonMaskCount).map { index in
            var value = 0
            for bit in 0..<10 {
                let position = start + 10 * index + bit
                value |= Int(bytes[position / 8] >> UInt8(position % 8) & 1) << bit
            }
            guard value >> 8 <= 2 else { throw CodecFailure.damaged }
            return Mask(bits: UInt8(truncatingIfNeeded: value), distanceBytes: value >> 8)
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
    }

    /// The four places a compressed chunk is read at.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var literals = LZBitmapChunk.fullHeadSize
        var distances: Int
        var masks: Int
        /// In half bytes.
        var steps: Int
        var distance = 8

        init(bytes: UnsafeRawBufferPointer, distances: Int, masks: Int, steps: Int) {
            self.bytes = bytes
            self.distances = distances
            self.masks = masks
            self.steps = 2 * steps
        }

        private func byte(_ position: Int) throws -> UInt8 {
            guard position < bytes.count else { throw CodecFailure.damaged }
            return bytes[position]
        }

        mutating func halfByte() throws -> UInt8 {
            let value = try byte(steps / 2) >> (steps % 2 == 0 ? 0 : 4) & 0x0f
            steps += 1
            return value
        }

        mutating func step() throws -> UInt8 {
            let value = try halfByte()
            guard value != 15 else { throw CodecFailure.damaged }
            return value
        }

        mutating func repetitions() throws -> Int {
            var value = try halfByte()
            guard value == 15 else {
                steps -= 1
                return 1
            }
            var count = 4
            while value == 15 {
                value = try halfByte()
                count += Int(value)
                guard count <= LZBitmapChunk.largestContent else { throw CodecFailure.damaged }
            }
            return count
        }

        mutating func mask() throws -> UInt8 {
            defer { masks += 1 }
            return try byte(masks)
        }

        mutating func changeDistance(_ count: Int) throws {
            distance = 0
            for index in 0..<count { distance |= Int(try byte(distances + index)) << (8 * index) }
            distances += count
        }

        mutating func apply(_ mask: UInt8, to output: UnsafeMutableRawPointer, count: Int, history: Int) throws {
            guard distance > 0 else { throw CodecFailure.damaged }
            for index in 0..<count {
                if mask >> UInt8(index) & 1 == 1 {
                    output.storeBytes(of: try byte(literals), toByteOffset: index, as: UInt8.self)
                    literals += 1
                } else {
                    guard history + index >= distance else { throw CodecFailure.damaged }
                    let earlier = output.load(fromByteOffset: index - distance, as: UInt8.self)
                    output.storeBytes(of: earlier, toByteOffset: index, as: UInt8.self)
                }
            }
        }
    }
}
