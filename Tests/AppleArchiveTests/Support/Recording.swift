// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// A sink that keeps every call, adjacent pieces of content joined.
final class Recording: ArchiveSink {
    enum Call: Equatable {
        case begin(EntryHeader)
        case data([UInt8])
        case end
    }

    private(set) var calls: [Call] = []

    func begin(_ entry: EntryHeader) { calls.append(.begin(entry)) }

    func data(_ bytes: UnsafeRawBufferPointer) {
        if case .data(let earlier) = calls.last {
            calls[calls.count - 1] = .data(earlier + bytes)
        } else {
            calls.append(.data(Array(bytes)))
        }
    }

    func end() { calls.append(.end) }

    var entries: [EntryHeader] {
        calls.compactMap { if case .begin(let entry) = $0 { entry } else { nil } }
    }

    /// The content of the entry at a path.
    func content(_ path: String) -> [UInt8]? {
        guard
            let start = calls.firstIndex(where: { if case .begin(let entry) = $0 { entry.path == path } else { false } }
            )
        else { return nil }
        if case .data(let bytes) = calls[start + 1] { return bytes }
        return []
    }
}

/// Decodes a whole archive in memory.
/// - Parameter piece: how many bytes are fed at a time.
@discardableResult
func decode(
    _ archive: [UInt8], piece: Int = .max, limits: ArchiveLimits = .default, threads: Int = 2
) throws -> Recording {
    let recording = Recording()
    let decoder = try ArchiveDecoder(sink: recording, limits: limits, threads: threads)
    try feed(archive[...], to: decoder, piece: piece)
    try decoder.finish()
    return recording
}

func feed(_ bytes: ArraySlice<UInt8>, to decoder: ArchiveDecoder, piece: Int = .max) throws {
    try bytes.withUnsafeBytes { all in
        var rest = all[...]
        while !rest.isEmpty {
            try decoder.feed(UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
    }
}

/// A file among the fixtures beside the tests.
func fixturePath(_ name: String) -> FilePath {
    FilePath(#filePath).removingLastComponent().removingLastComponent().appending("Fixtures").appending(name)
}

func fixture(_ name: String) throws -> [UInt8] { try File.read(fixturePath(name)) }
