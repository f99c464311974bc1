// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Takes the times out of files that note when they were made, so that the same content gives the same bytes whenever
/// it was built: PNG images, zip files (jar, docx and the like) and gzip files. Pure.
///
/// What is no well-formed file of these kinds is left as it is, and so is what a signature or a password guards. So are times
/// in what else an image holds (XMP, Exif), and of a gzip file's members behind the first, which only unpacking would find.
package enum ContentNormalizer {
    /// Larger files are left as they are: they are held in memory whole.
    package static let maximumSize = 256 << 20
    /// How many bytes tell whether a file may be of a kind that is known here.
    package static let prefixSize = 8

    /// Whether a file that begins like this may be changed.
    package static func mayConcern(prefix: [UInt8]) -> Bool { kind(prefix) != nil }

    /// The file without its times; nil when there is nothing to change.
    package static func normalized(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= maximumSize, let kind = kind(bytes) else { return nil }
        let result =
            switch kind {
            case .png: PNGStamps.removed(from: bytes)
            case .zip: ZipStamps.fixed(in: bytes)
            case .gzip: gzipWithoutTime(bytes)
            }
        return result == bytes ? nil : result
    }

    private enum Kind { case png, zip, gzip }

    private static func kind(_ bytes: [UInt8]) -> Kind? {
        if bytes.starts(with: PNGStamps.signature) { return .png }
        if bytes.starts(with: ZipStamps.localSignature) { return .zip }
        // Deflate, with no flag that is not known (RFC 1952, 2.3).
        if bytes.count >= 4, bytes.starts(with: [0x1F, 0x8B, 8]), bytes[3] & 0xE0 == 0 { return .gzip }
        return nil
    }

    /// Four zeros mean that no time is known. A checksum of the head, which few files have, would no longer fit.
    private static func gzipWithoutTime(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 18, bytes[3] & 2 == 0 else { return nil }
        var result = bytes
        for place in 4..<8 { result[place] = 0 }
        return result
    }
}
