// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// The base apps on the disk: `<app root>/bundle/<n>/Name.app`, and `bundle/current`, which names the one in force.
struct BundleStore: Sendable {
    let paths: LarderPaths

    private static let here = FileDescriptor.currentDirectory

    func folder(_ app: String) -> FilePath { paths.appRoot(app).appending("bundle") }

    /// Copies `source` to the base's own folder; a copy that was broken off is replaced. What is the same in the base in force is
    /// not copied once more. Blocks.
    /// - Parameter progress: told the bytes copied so far; throwing from it breaks the copy off.
    /// - Throws: `DeviceError`, and what `progress` throws.
    func copy(_ source: FilePath, app: String, number: Int, progress: (Int64) throws -> Void) throws {
        guard let name = source.lastComponent else { throw Errno.invalidArgument }
        try begin(app, number: number, from: source) {
            try TreeCopy.copy(
                from: source, to: $0.appending(name), sharing: folder(app).appending("current").appending(name),
                progress: progress)
            try complete(app: app, number: number)
        }
    }

    /// Where the archive of a hosted base is put together.
    func archive(_ app: String, number: Int) -> FilePath { folder(app).appending("\(number).aar") }

    /// Where `unpack` puts the bundle, to be checked and asked before `complete` gives it its place.
    func unpacked(_ app: String, number: Int) -> FilePath { folder(app).appending("\(number).partial") }

    /// Unpacks an archive to `unpacked`, in place of one that was broken off. Blocks.
    /// - Parameters:
    ///   - size: how many bytes it may have.
    ///   - progress: told the bytes written so far; throwing from it breaks the unpacking off.
    /// - Throws: `DeviceError`, and what `progress` throws.
    func unpack(
        _ archive: AppArchive, app: String, number: Int, size: Int64, progress: @escaping (Int64) throws -> Void
    ) throws {
        try begin(app, number: number, from: archive.path) {
            _ = try archive.unpack(to: $0, limit: size, progress: progress)
        }
    }

    /// Forgets the archive of a hosted base, once it is unpacked. Blocks.
    func removeArchive(_ app: String, number: Int) throws {
        try Self.here.removeTree(at: archive(app, number: number))
    }

    /// Gives a base that is written its place; once is enough. Blocks.
    func complete(app: String, number: Int) throws {
        let (partial, target) = (unpacked(app, number: number), folder(app).appending("\(number)"))
        if !Self.here.exists(at: partial), Self.here.exists(at: target) { return }
        let opened = try OwnedDescriptor(partial, .readOnly, options: .directory)
        try opened.borrowed.synchronizeFileSystem()
        try Self.here.rename(from: partial, to: target)
    }

    /// Makes the base's folder anew and has it filled; a failure leaves nothing.
    private func begin(_ app: String, number: Int, from source: FilePath, _ fill: (FilePath) throws -> Void) throws {
        let folder = folder(app)
        let partial = unpacked(app, number: number)
        do {
            try Self.here.makeDirectories(at: folder)
            try Self.here.removeTree(at: partial)
            try Self.here.removeTree(at: folder.appending("\(number)"))
            try Self.here.makeDirectory(at: partial)
            try fill(partial)
        } catch {
            _ = try? Self.here.removeTree(at: partial)
            throw Self.explain(error, source)
        }
    }

    /// Makes base `number` the one in force and deletes the others. Blocks.
    func commit(_ app: String, number: Int) throws {
        let folder = folder(app)
        let opened = try OwnedDescriptor(folder, .readOnly, options: .directory)
        let directory = opened.borrowed
        _ = try? directory.remove(at: "current.new")
        try directory.makeSymbolicLink(to: "\(number)", at: "current.new")
        try directory.rename(from: "current.new", to: "current")
        try directory.synchronize(dataOnly: false)
        try keep(only: number, app: app)
    }

    /// Whether the base that a row names is there. Blocks.
    func exists(_ record: AppRecord) -> Bool {
        Self.here.exists(at: paths.appRoot(record.id).appending(record.basePath))
    }

    /// Deletes every base but `number`, and what was broken off. Blocks.
    /// - Parameter next: a base that is being made; all of it stays.
    func keep(only number: Int, and next: Int? = nil, app: String) throws {
        var kept: Set = ["\(number)", "current"]
        if let next { kept.formUnion(names(of: next)) }
        let opened = try OwnedDescriptor(folder(app), .readOnly, options: .directory)
        for entry in try opened.borrowed.entries() where !kept.contains(entry.name) {
            try opened.borrowed.removeTree(at: FilePath(entry.name))
        }
    }

    /// What there may be of a base: whole, broken off, and the archive it comes in.
    private func names(of number: Int) -> [String] { ["\(number).aar", "\(number).partial", "\(number)"] }

    /// Deletes base `number`, whole or broken off. Blocks.
    func remove(_ app: String, number: Int) throws {
        let folder = folder(app)
        guard Self.here.exists(at: folder) else { return }
        for name in names(of: number) {
            try Self.here.removeTree(at: folder.appending(name))
        }
    }

    /// Deletes the app's whole folder. Blocks.
    func removeRoot(_ app: String) throws { try Self.here.removeTree(at: paths.appRoot(app)) }

    /// The bundle in force of an app whose record is gone; nil when there is none to be read. Blocks.
    func leftover(_ app: String) -> AppBundle? {
        let current = folder(app).appending("current")
        guard let names = try? Self.here.entries(at: current).map(\.name) else { return nil }
        return names.lazy.compactMap { try? AppBundleReader.bundle(at: current.appending($0)) }.first
    }

    /// The bundle in force, read anew. Blocks.
    /// - Throws: `DeviceError`, `BundleError`
    func bundle(_ record: AppRecord) throws -> AppBundle {
        try AppBundleReader.bundle(at: paths.appRoot(record.id).appending(record.basePath))
    }

    private static func explain(_ error: any Error, _ source: FilePath) -> any Error {
        guard let errno = error as? Errno else { return error }
        if [.noSpace, .diskQuotaExceeded].contains(errno) {
            return DeviceError(
                .noSpace, "The disk became full while \(source) was copied. Free some space and try again.")
        }
        return DeviceError(.failed, "\(source) could not be copied: \(errno.clause).")
    }
}
