// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// A file that says what it is: a line with pack, version and path, then bytes that follow from that line alone. Whoever
/// reads it can tell a whole file from a partial one or a mixture without knowing what was published.
package struct StampedFile: Hashable, Sendable {
    package var pack: String
    package var version: Int
    package var path: String
    package var size: Int

    package init(pack: String, version: Int, path: String, size: Int) {
        self.pack = pack
        self.version = version
        self.path = path
        self.size = size
    }

    private var stamp: [UInt8] { Array("\(pack) \(version) \(size) \(path)\n".utf8) }

    package var bytes: [UInt8] {
        let stamp = stamp
        var seed: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in stamp { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var generator = SeededGenerator(seed: seed)
        var words = [UInt64](repeating: 0, count: size / 8 + 1)
        // Every other run repeats, so that the archive compresses as real ones do.
        for index in words.indices { words[index] = index & 8 == 0 ? generator.next() : words[index - 8] }
        var result = stamp
        words.withUnsafeBytes { result.append(contentsOf: $0) }
        return Array(result.prefix(size))
    }

    /// What the bytes of a file at `path` are when they are one whole file; else what is wrong with them.
    /// - Parameter content: the bytes that a file must have; for whoever reads the same ones often and keeps them.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, at path: String, content: (StampedFile) -> [UInt8] = { $0.bytes }
    ) -> Result<StampedFile, Fault> {
        guard let end = bytes.prefix(1024).firstIndex(of: 0x0A) else {
            return .failure(Fault("\(path): no stamp in \(bytes.count) bytes"))
        }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ", maxSplits: 3)
        guard words.count == 4, let version = Int(words[1]), let size = Int(words[2]) else {
            return .failure(Fault("\(path): damaged stamp"))
        }
        let file = StampedFile(pack: String(words[0]), version: version, path: String(words[3]), size: size)
        guard file.path == path else { return .failure(Fault("\(path): the bytes of \(file.path)")) }
        guard size == bytes.count else {
            return .failure(Fault("\(path): \(bytes.count) bytes of \(size) of version \(version)"))
        }
        let expected = content(file)
        if isSame(expected, bytes) { return .success(file) }
        if let offset = zip(expected, bytes).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            return .failure(Fault("\(path): not version \(version) from byte \(offset) of \(size)"))
        }
        return .success(file)
    }

    /// A plain loop over all bytes takes most of a campaign's time in a debug build.
    private static func isSame(_ expected: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
        expected.withUnsafeBytes { expected in
            guard let one = expected.baseAddress, let other = bytes.baseAddress else { return expected.isEmpty }
            return expected.count == bytes.count && memcmp(one, other, bytes.count) == 0
        }
    }

    package struct Fault: Error, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }
}
