// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import System

extension Journey {
    /// Reads updates to their end and shows progress.
    func follow(_ updates: some AsyncSequence<AssetPackManager.DownloadStatusUpdate, Never>) async throws {
        defer { journal.endProgress() }
        var last: AssetPackManager.DownloadStatusUpdate?
        for await update in updates {
            last = update
            switch update {
            case .downloading(let pack, let progress): journal.progress(pack.id, progress)
            case .paused(let pack): journal.note("paused", "\(pack.id): paused", pack: pack.id)
            case .began, .finished, .failed: break
            @unknown default: break
            }
        }
        switch last {
        case .finished: return
        case .failed(let pack, let error): throw Trouble("\(pack.id) did not come: \(error)")
        default: throw Trouble("the updates ended with \(String(describing: last))")
        }
    }

    /// Cancels at the first progress; whether the updates end with the cancellation.
    func cancelFirstProgress(
        in updates: some AsyncSequence<AssetPackManager.DownloadStatusUpdate, Never>
    ) async -> Bool {
        var wasCancelled = false
        for await update in updates {
            switch update {
            case .downloading(_, let progress): progress.cancel()
            case .failed(_, let error): wasCancelled = (error as? URLError)?.code == .cancelled
            default: break
            }
        }
        return wasCancelled
    }

    /// Maps each level that a set names, and reads every page of it.
    func read(levelsNamedIn set: Data, of difficulty: String) throws -> (count: Int, bytes: Int) {
        var count = 0
        var bytes = 0
        var checksum = 0
        for line in String(decoding: set, as: UTF8.self).split(separator: "\n") {
            let name = line.trimmingCharacters(in: .whitespaces)
            guard name.hasPrefix("map-"), name.hasSuffix(".sol"), let slash = name.firstIndex(of: "/") else { continue }
            let level = try manager.contents(at: FilePath("Levels/\(difficulty)\(name[slash...])"))
            try expect(level.starts(with: [0xAF, 0x53, 0x4F, 0x4C]), "\(name) is no level")
            bytes += level.count
            checksum = checksum &+ touch(level)
            count += 1
        }
        try expect(checksum > 0, "the levels of \(difficulty) are empty")
        return (count, bytes)
    }

    /// Reads the on-demand pack in the three ways there are; all must agree.
    /// - Returns: each file, mapped.
    func readVoyage() throws -> [String: Data] {
        var files: [String: Data] = [:]
        var bytes = 0
        let (_, took) = try timed {
            let folder = try manager.url(for: "Music")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let path = FilePath("Music/\(name)")
                let mapped = try manager.contents(at: path, searchingInAssetPackWithID: Pack.voyage)
                let copied = try manager.contents(at: path, options: [])
                let descriptor = try manager.descriptor(for: path)
                let read = try descriptor.closeAfter {
                    try FileHandle(fileDescriptor: descriptor.rawValue, closeOnDealloc: false).readToEnd()
                }
                let linked = try Data(contentsOf: folder.appending(path: name))
                try expect(
                    mapped == copied && mapped == read && mapped == linked,
                    "\(path): contents, descriptor and url do not agree")
                files[name] = mapped
                bytes += mapped.count
            }
        }
        try expect(files.count >= 5, "Music has only \(files.count) files")
        journal.note(
            "read", "Voyage: \(files.count) pieces of music read by contents, descriptor and url, which agree",
            bytes: bytes, took: took, pack: Pack.voyage)
        return files
    }

    /// A directory that three packs share is one directory.
    func mergeDirectories() throws {
        let (folder, took) = try timed { try manager.url(for: "Levels") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        try expect(names == ["easy", "hard", "medium"], "Levels should have all three packs' levels, but has \(names)")
        var files = 0
        for name in names {
            files += try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path).count
        }
        journal.note("url", "Levels of all three packs are in one folder: \(files) files", took: took)
    }

    func expectNotFound(_ path: FilePath, in pack: String?) throws {
        do {
            _ = try manager.contents(at: path, searchingInAssetPackWithID: pack)
        } catch ManagedBackgroundAssetsError.fileNotFound(let missing) {
            return try expect(missing == path, "the missing file is called \(missing) instead of \(path)")
        }
        throw Trouble("\(path) can be read, and should not be there")
    }

    func timed<Result>(_ body: () throws -> Result) rethrows -> (Result, Duration) {
        let begun = clock.now
        let result = try body()
        return (result, clock.now - begun)
    }

    func timed<Result>(_ body: () async throws -> Result) async rethrows -> (Result, Duration) {
        let begun = clock.now
        let result = try await body()
        return (result, clock.now - begun)
    }

    /// Reads one byte of each page, as a game that uses the file would, and adds them up.
    private func touch(_ data: Data) -> Int {
        stride(from: 0, to: data.count, by: 4096).reduce(0) { $0 + Int(data[$1]) }
    }
}
