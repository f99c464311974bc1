// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Numbers of one width, all their lowest bytes first, then all the next ones, and so on: where numbers are in no order, bytes of one
/// rank still resemble each other.
enum Columns {
    static func bytes<Number: FixedWidthInteger>(of numbers: [Number], width: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * width)
        for column in 0..<width {
            for number in numbers { bytes.append(UInt8(truncatingIfNeeded: number >> Number(8 * column))) }
        }
        return bytes
    }

    /// Takes numbers off the front of a stream.
    struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private let height: Int
        private var row = 0

        /// - Throws: `DeltaError.damaged`
        init(_ bytes: UnsafeRawBufferPointer, width: Int) throws {
            height = bytes.count / width
            guard height * width == bytes.count else {
                throw DeltaError.damaged("its columns differ in height")
            }
            self.bytes = bytes
        }

        /// Whether all were taken.
        var isAtEnd: Bool { row == height }

        /// - Throws: `DeltaError.damaged`
        @inline(__always)
        mutating func next() throws -> UInt64 {
            guard row < height else { throw DeltaError.damaged("a stream ends too early") }
            var number: UInt64 = 0
            for position in stride(from: bytes.count &- height &+ row, through: row, by: -height) {
                number = number << 8 | UInt64(bytes[position])
            }
            row &+= 1
            return number
        }
    }
}
