// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HostingModel
internal import Kit
internal import System

/// A file that comes from a store elsewhere to be checked here: written and digested as it comes. Blocks.
final class SpoolFile: Sendable {
    /// What the lock guards.
    private final class State {
        var position: Int64 = 0
        var part = MD5()
        let composite = MD5()
        let md5: MD5?
        var sha256: SHA256?

        init(_ wanted: WantedDigests) {
            md5 = wanted.md5 ? MD5() : nil
            sha256 = wanted.sha256 ? SHA256() : nil
        }
    }

    /// What must stay free on the disk, in bytes.
    private static let reserve: Int64 = 64 << 20

    private let path: FilePath
    private let plan: UploadPlan
    private let file: OwnedDescriptor
    private let state: Monitor<State>

    /// - Parameter folder: is made, and is the file's own.
    /// - Throws: `Errno`; `HostingError` when there is no room.
    init(_ folder: FilePath, plan: UploadPlan, wanted: WantedDigests) throws {
        let here = FileDescriptor.currentDirectory
        _ = try? here.removeTree(at: folder)
        try here.makeDirectories(at: folder, permissions: .directoryPrivate)
        path = folder.appending("file")
        file = try Self.create(path, size: plan.fileSize, for: "an upload")
        self.plan = plan
        state = Monitor(State(wanted))
    }

    /// Makes a file that so many bytes are to come to, if there is room for them.
    /// - Parameter what: that comes, for a person.
    /// - Throws: `Errno`; `HostingError` when there is no room.
    static func create(_ path: FilePath, size: Int64, for what: String) throws -> OwnedDescriptor {
        let folder = path.removingLastComponent()
        let free = try FileSystemSpace(at: folder).available
        guard size <= free - reserve else {
            throw HostingError(
                .storage,
                "There is no room in \(folder) for \(what) of \(ByteCount.formatted(size)): only "
                    + "\(ByteCount.formatted(free)) are free. Free some space, or have --data on a larger disk.")
        }
        return try OwnedDescriptor(
            path, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .filePrivate)
    }

    /// The next bytes.
    /// - Throws: `Errno`; `HostingError` when there are more than announced.
    func take(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            guard Int64(bytes.count) <= plan.fileSize - state.position else { throw wrongSize }
            try file.borrowed.writeFully(bytes)
            state.md5?.update(bytes)
            state.sha256?.update(bytes)
            // Parts have digests of their own, which make the composite one.
            var rest = bytes[...]
            while !rest.isEmpty {
                let left = plan.partSize - state.position % plan.partSize
                let piece = rest.prefix(Int(clamping: left))
                state.part.update(UnsafeRawBufferPointer(rebasing: piece))
                state.position += Int64(piece.count)
                rest = rest.dropFirst(piece.count)
                if state.position % plan.partSize == 0 || state.position == plan.fileSize {
                    state.part.finish().withUnsafeBytes { state.composite.update($0) }
                    state.part = MD5()
                }
            }
        }
    }

    /// - Throws: `HostingError` when the file is not whole.
    func finish(_ upload: String, entityTag: String) throws -> AssembledUpload {
        try state.withLock { state in
            guard state.position == plan.fileSize else { throw wrongSize }
            return AssembledUpload(
                upload: upload, path: path, size: plan.fileSize, md5: state.md5?.finish(),
                sha256: state.sha256?.finish().bytes, compositeMD5: state.composite.finish(), entityTag: entityTag)
        }
    }

    private var wrongSize: HostingError {
        HostingError(.storage, "The storage does not give the upload \(path) the \(plan.fileSize) bytes that it has.")
    }
}
