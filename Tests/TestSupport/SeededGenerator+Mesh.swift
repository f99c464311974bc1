// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension SeededGenerator {
    /// A binary STL file of a bent sheet: each corner is that of six triangles, and each triangle has a normal of its own.
    package mutating func mesh(_ side: Int) -> [UInt8] {
        let heights = (0...side * (side + 2)).map { _ in Float.random(in: 0...0.1, using: &self) }
        func corner(_ x: Int, _ y: Int) -> [Float] { [Float(x) * 0.37, Float(y) * 0.41, heights[y * (side + 1) + x]] }
        var bytes = [UInt8](repeating: 32, count: 80)
        func append(_ word: UInt32) { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
        append(UInt32(2 * side * side))
        for place in 0..<side * side {
            let (x, y) = (place % side, place / side)
            for corners in [[(x, y), (x + 1, y), (x, y + 1)], [(x + 1, y), (x + 1, y + 1), (x, y + 1)]] {
                let normal = (0..<3).map { _ in Float.random(in: -1...1, using: &self) }
                for number in normal + corners.flatMap({ corner($0.0, $0.1) }) { append(number.bitPattern) }
                bytes += [0, 0]
            }
        }
        return bytes
    }
}
