// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import HostingModel
internal import Kit
internal import System

/// Blobs in a folder: `uploads/<id>/<number>-<MD5>`, and `archives/<two digits>/<digest>`.
final class FolderBlobStore: BlobStore {
    let uploadFolder: FilePath
    let archiveFolder: FilePath
    private var here: FileDescriptor { .currentDirectory }

    /// - Throws: `Errno`
    init(folder: FilePath) throws {
        uploadFolder = folder.appending("uploads")
        archiveFolder = folder.appending("archives")
        for path in [uploadFolder, archiveFolder] {
            try here.makeDirectories(at: path, permissions: .directoryPrivate)
        }
    }

    func probe() async throws {
        try await offload { [uploadFolder, archiveFolder] in
            for path in [uploadFolder, archiveFolder] { _ = try FileDescriptor.currentDirectory.status(at: path) }
        }
    }

    // MARK: Parts

    func open(_ upload: String) async throws {
        let folder = uploadFolder.appending(upload)
        try await offload {
            try FileDescriptor.currentDirectory.makeDirectories(at: folder, permissions: .directoryPrivate)
        }
    }

    func addresses(of upload: String, _ plan: UploadPlan, seconds: Int64) async throws -> [Int: String]? { nil }

    func beginPart(of upload: String, _ part: UploadPlan.Part) throws -> any PartReceiver {
        let folder = uploadFolder.appending(upload)
        return try FolderPartReceiver(part: part, folder: folder)
    }

    func parts(of upload: String, _ plan: UploadPlan) async throws -> [Int: String] {
        let folder = uploadFolder.appending(upload)
        return try await offload {
            try Self.partNames(in: folder).mapValues { String($0.drop { $0 != "-" }.dropFirst()) }
        }
    }

    /// File names by the parts' numbers.
    static func partNames(in folder: FilePath) throws -> [Int: String] {
        do {
            var names: [Int: String] = [:]
            for entry in try FileDescriptor.currentDirectory.entries(at: folder) where entry.name.first != "." {
                let words = entry.name.split(separator: "-")
                if words.count == 2, words[1].count == 2 * MD5.byteCount, let number = Int(words[0]) {
                    names[number] = entry.name
                }
            }
            return names
        } catch Errno.noSuchFileOrDirectory {
            return [:]
        }
    }

    func assemble(_ upload: String, _ plan: UploadPlan, file wanted: WantedDigests) async throws -> AssembledUpload {
        let folder = uploadFolder.appending(upload)
        return try await offload { try Assembly(upload: upload, folder: folder, plan: plan, wanted: wanted).run() }
    }

    func discard(_ upload: String) async {
        let folder = uploadFolder.appending(upload)
        _ = try? await offload { try FileDescriptor.currentDirectory.removeTree(at: folder) }
    }

    // MARK: Archives

    func place(of digest: Digest) -> FilePath {
        archiveFolder.appending(String(digest.hex.prefix(2))).appending(digest.hex)
    }

    func keep(_ assembled: AssembledUpload, as digest: Digest) async throws {
        let place = place(of: digest)
        try await offload { try Self.move(assembled.path, to: place) }
    }

    func keep(_ made: MadeFile) async throws {
        let place = place(of: made.stored.digest)
        try await offload {
            let file = try OwnedDescriptor(made.path, .readOnly)
            try file.borrowed.synchronize()
            try Self.move(made.path, to: place)
        }
    }

    private static func move(_ file: FilePath, to place: FilePath) throws {
        let here = FileDescriptor.currentDirectory
        let folder = place.removingLastComponent()
        try here.makeDirectories(at: folder, permissions: .directoryPrivate)
        // The same digest is the same content, so whoever was first has it right already.
        if !here.exists(at: place) { try here.rename(from: file, to: place) }
        let directory = try OwnedDescriptor(folder, .readOnly, options: .directory)
        try directory.borrowed.synchronize(dataOnly: false)
    }

    func file(of digest: Digest, in folder: FilePath) async throws -> FilePath? {
        let place = place(of: digest)
        return try await offload { FileDescriptor.currentDirectory.exists(at: place) ? place : nil }
    }

    func archive(_ digest: Digest, for method: String) async throws -> KeptArchive? {
        let place = place(of: digest)
        return try await offload {
            do {
                return .file(try ServedFile(place))
            } catch Errno.noSuchFileOrDirectory {
                return nil
            }
        }
    }
}
