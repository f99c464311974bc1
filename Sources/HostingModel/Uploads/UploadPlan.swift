// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How a file is cut into parts that are uploaded one by one, in any order.
package struct UploadPlan: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        /// From 1.
        package let number: Int
        /// Bytes from the file's start.
        package let offset: Int64
        /// In bytes.
        package let length: Int64

        package init(number: Int, offset: Int64, length: Int64) {
            self.number = number
            self.offset = offset
            self.length = length
        }
    }

    /// Parts are that large, in bytes, unless there would be too many of them.
    package static let usualPartSize: Int64 = 8 << 20
    package static let maximumPartCount: Int64 = 1000

    package let fileSize: Int64
    /// Of every part but the last, in bytes.
    package let partSize: Int64

    /// - Parameters:
    ///   - fileSize: in bytes, at least 1.
    ///   - partSize: as it was when the file was announced; nil chooses.
    package init(fileSize: Int64, partSize: Int64? = nil) {
        self.fileSize = max(1, fileSize)
        let mebibyte: Int64 = 1 << 20
        let needed = (self.fileSize / Self.maximumPartCount / mebibyte + 1) * mebibyte
        self.partSize = max(1, partSize ?? max(Self.usualPartSize, needed))
    }

    package var partCount: Int { Int((fileSize - 1) / partSize) + 1 }

    /// nil when there is no part of that number.
    package func part(_ number: Int) -> Part? {
        guard (1...partCount).contains(number) else { return nil }
        let offset = Int64(number - 1) * partSize
        return Part(number: number, offset: offset, length: min(partSize, fileSize - offset))
    }

    package var parts: [Part] { (1...partCount).compactMap(part) }
}
