// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HostingModel
internal import Kit
internal import System

/// Writes a part to a file that has no name until it is complete: a client that leaves leaves nothing behind.
final class FolderPartReceiver: PartReceiver {
    /// What the lock guards.
    private final class State {
        var file: NewFile
        let digest = MD5()
        var length: Int64 = 0
        var failure: (any Error)?

        init(_ path: FilePath) throws { file = try NewFile(at: path, permissions: .filePrivate) }
    }

    private let part: UploadPlan.Part
    private let folder: FilePath
    private let temporaryName: String
    private let state: Monitor<State>

    /// - Throws: `Errno`
    init(part: UploadPlan.Part, folder: FilePath) throws {
        self.part = part
        self.folder = folder
        temporaryName = ".\(part.number).\(Identifier.random())"
        state = Monitor(try State(folder.appending(temporaryName)))
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.length += Int64(bytes.count)
            // What is too long is told at the end; until then it is not worth the disk.
            guard state.failure == nil, state.length <= part.length else { return }
            do {
                try state.file.descriptor.writeFully(bytes)
                state.digest.update(bytes)
            } catch {
                state.failure = error
            }
        }
    }

    func finish() async throws -> String {
        try await offload { try self.takePlace() }
    }

    private func takePlace() throws -> String {
        let md5 = try state.withLock { state -> String in
            if let failure = state.failure { throw failure }
            guard state.length == part.length else {
                throw PartLengthError(expected: part.length, actual: state.length)
            }
            try state.file.descriptor.synchronize()
            try state.file.publish()
            return Hexadecimal.encode(state.digest.finish())
        }
        // Parts take their places one after the other, whichever host took them.
        let lock = try FileLock.acquire(OwnedDescriptor(folder, .readOnly, options: .directory), .exclusive)
        defer { withExtendedLifetime(lock) {} }
        let here = FileDescriptor.currentDirectory
        let name = "\(part.number)-\(md5)"
        let earlier = try FolderBlobStore.partNames(in: folder)[part.number]
        try here.rename(from: folder.appending(temporaryName), to: folder.appending(name))
        if let earlier, earlier != name { _ = try? here.remove(at: folder.appending(earlier)) }
        return md5
    }
}
