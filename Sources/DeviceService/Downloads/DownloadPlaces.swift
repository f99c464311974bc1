// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Where an app's unmanaged downloads lie: `<app root>/downloads/partial/<n>` while they come, `files/<group>/<n>` once they
/// are whole. `n` is the download's number. Everything here blocks.
struct DownloadPlaces: Sendable {
    let root: FilePath

    private static let here = FileDescriptor.currentDirectory

    init(appRoot: FilePath) { root = appRoot.appending("downloads") }

    func partial(_ number: Int64) -> FilePath { root.appending("partial").appending("\(number)") }
    /// What is known of the bytes in `partial`.
    func checkpoint(_ number: Int64) -> FilePath { root.appending("partial").appending("\(number).json") }
    func file(_ number: Int64, group: String) -> FilePath {
        root.appending("files").appending(group).appending("\(number)")
    }
    /// The manifest that is handed to an extension.
    var manifest: FilePath { root.appending("manifest") }

    func file(_ download: Download) -> FilePath { file(download.number ?? 0, group: download.description.appGroup) }

    func prepare(group: String) throws {
        try Self.here.makeDirectories(at: root.appending("partial"), permissions: .directoryPrivate)
        try Self.here.makeDirectories(at: root.appending("files").appending(group), permissions: .directoryPrivate)
    }

    func exists(_ path: FilePath) -> Bool { Self.here.exists(at: path) }

    func discardPartial(_ number: Int64) throws {
        for path in [partial(number), checkpoint(number)] { try remove(path) }
    }

    /// Deletes a file; it being gone already is fine.
    func remove(_ path: FilePath) throws {
        do {
            try Self.here.remove(at: path)
        } catch Errno.noSuchFileOrDirectory {}
    }

    /// Bytes of the file in its place; nil when it is not there.
    func size(_ number: Int64, group: String) throws -> Int64? {
        do {
            return try Self.here.status(at: file(number, group: group)).size
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    /// Deletes a file from its place, of whatever group.
    func clean(file number: Int64) throws {
        for group in try entries(root.appending("files")) { try remove(file(number, group: group)) }
    }

    /// Deletes what belongs to none of `downloads`: a killed service leaves it behind.
    func clean(_ downloads: [Download]) throws {
        let numbers = Set(downloads.filter { !$0.state.hasEnded }.compactMap(\.number))
        let kept = Set(numbers.flatMap { ["\($0)", "\($0).json"] })
        for entry in try entries(root.appending("partial")) where !kept.contains(entry) {
            try remove(root.appending("partial").appending(entry))
        }
        let files = Set(downloads.map { file($0) })
        for group in try entries(root.appending("files")) {
            let folder = root.appending("files").appending(group)
            for entry in try entries(folder) where !files.contains(folder.appending(entry)) {
                try Self.here.removeTree(at: folder.appending(entry))
            }
        }
    }

    private func entries(_ folder: FilePath) throws -> [String] {
        guard exists(folder) else { return [] }
        return try Self.here.entries(at: folder).map(\.name)
    }
}

/// What is known of a partial file: enough to tell whether its bytes may be gone on from.
struct DownloadCheckpoint: Codable, Hashable, Sendable {
    var url: String
    /// What the server calls this very content; without it nothing is gone on from.
    var validator: String
    /// Bytes that are on the disk whatever happens.
    var durable: Int64
    /// Since the machine was started, all bytes in the file count; a process that is killed loses none.
    var boot: String

    static func read(_ path: FilePath) -> DownloadCheckpoint? {
        guard let bytes = try? File.read(path, limit: 1 << 16) else { return nil }
        return try? JSONCoder.decode(DownloadCheckpoint.self, from: bytes)
    }

    func write(_ path: FilePath, durable: Bool) throws {
        try AtomicFile.write(try JSONCoder.encode(self), to: path, durable: durable)
    }

    /// A name of the time since the machine was started.
    static let currentBoot: String = {
        let bytes = (try? File.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }()
}
