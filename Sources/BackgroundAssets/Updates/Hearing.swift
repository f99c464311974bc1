// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Kit
internal import System

/// Says on the disk that this process is hearing of the end of a download, and afterwards that it has heard, so that a
/// service which is restarted meanwhile tells nobody else. What keeps it from that is passed over: the acknowledgement follows.
struct Hearing: ~Copyable {
    /// False when there is no file any more that could be told of.
    let isPossible: Bool
    private let receipt: FilePath?
    private let begun: FileLock?
    /// Held open, so that it is not deleted to make room.
    private let file: OwnedDescriptor?

    /// The method that hears is about to be called.
    init(_ step: DownloadStep) {
        let here = FileDescriptor.currentDirectory
        receipt = step.receipt.map { FilePath($0) }
        var isPossible = step.change != .finished
        var opened: OwnedDescriptor?
        if let path = step.file {
            do {
                opened = try OwnedDescriptor(FilePath(path), .readOnly, options: [.noFollow, .nonBlocking])
                isPossible = true
            } catch {}
        }
        file = opened
        self.isPossible = isPossible
        guard let receipt, let path = step.begun.map({ FilePath($0) }) else {
            begun = nil
            return
        }
        try? here.makeDirectories(at: receipt.removingLastComponent(), permissions: .directoryPrivate)
        begun = try? FileLock.acquire(path, .exclusive)
    }

    /// It has returned.
    consuming func end(_ step: DownloadStep) {
        guard let receipt else { return }
        let here = FileDescriptor.currentDirectory
        if let path = step.begun {
            do {
                // Renaming needs no room on a full disk.
                return try here.rename(from: FilePath(path), to: receipt)
            } catch Errno.noSuchFileOrDirectory where begun != nil {
                // The service is through with this end, by what the method did: nobody would collect a receipt.
                return
            } catch {}
        }
        _ = try? OwnedDescriptor(receipt, .writeOnly, options: [.create, .noFollow], permissions: .filePrivate)
    }
}
