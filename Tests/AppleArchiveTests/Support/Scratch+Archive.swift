// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System
import TestSupport

extension Scratch {
    /// Extracts an archive to `out`.
    @discardableResult
    func extract(
        _ archive: some Sequence<UInt8>, options: ExtractionOptions = ExtractionOptions()
    ) throws -> ExtractionSummary {
        let file = try OwnedDescriptor(try write(archive, to: "archive"), .readOnly)
        return try ArchiveExtraction.extract(file.borrowed, to: self("out"), options: options)
    }

    /// What every file and link below a folder holds.
    func contents(_ name: String) throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for path in try tree(name) {
            let file = self(name).appending(path)
            let isLink = try FileDescriptor.currentDirectory.status(at: file).kind == .symbolicLink
            result[path] =
                isLink ? Array(try FileDescriptor.currentDirectory.readLink(at: file).utf8) : try File.read(file)
        }
        return result
    }
}
