// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Some of a large target, by which ways are compared.
enum DeltaSample {
    /// Targets up to this size are their own sample.
    private static let most = 1 << 20
    private static let parts = 4
    private static let partSize = 160 << 10

    /// Calls `body` with the sample, and for each of its parts, which are of one size, where in the target it begins.
    static func with<Result>(
        _ target: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, _ starts: [Int]) -> Result
    ) -> Result {
        guard target.count > most else { return body(target, [0]) }
        var starts: [Int] = []
        var sample: [UInt8] = []
        sample.reserveCapacity(parts * partSize)
        for part in 0..<parts {
            // Words stay where four divides.
            let start = (target.count - partSize) / (parts - 1) * part & ~3
            sample += target[start..<start + partSize]
            starts.append(start)
        }
        return sample.withUnsafeBytes { body($0, starts) }
    }
}
