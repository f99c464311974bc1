// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import System

/// Content to be packed. Read by worker threads, any part at any time.
package protocol ArchiveDataSource: Sendable {
    /// In bytes; the archive's header says it before the content is read.
    var size: UInt64 { get }

    /// Fills `buffer` with the content from `offset` on.
    /// - Throws: `ArchiveError.sourceChanged` when there is not that much any more.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws
}

/// Content that is in memory.
package struct BytesDataSource: ArchiveDataSource {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var size: UInt64 { UInt64(bytes.count) }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws {
        bytes.withUnsafeBytes { all in
            let start = Int(clamping: offset)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all.dropFirst(start).prefix(buffer.count)))
        }
    }
}

/// The content of a file, opened anew for each part: no descriptor stays open, however many files wait.
package struct FileDataSource: ArchiveDataSource {
    /// The open directory that `path` is relative to; whoever opened it keeps it open.
    package let directory: FileDescriptor
    package let path: FilePath
    package let status: FileStatus

    /// - Throws: `ArchiveError.inputOutput`; `ArchiveError.invalidEntry` for anything but a regular file.
    package init(directory: FileDescriptor = .currentDirectory, path: FilePath) throws {
        do {
            try self.init(directory: directory, path: path, status: directory.status(at: path, followingLinks: true))
        } catch let error as Errno {
            throw ArchiveError(.inputOutput, "\(path) cannot be packed.", cause: error)
        }
    }

    /// - Parameter status: what the file system just said of the file, links followed.
    package init(directory: FileDescriptor = .currentDirectory, path: FilePath, status: FileStatus) throws {
        guard status.kind == .regular else {
            throw ArchiveError(.invalidEntry, "\(path) is no regular file and has no content to pack.")
        }
        self.directory = directory
        self.path = path
        self.status = status
    }

    package var size: UInt64 { UInt64(clamping: status.size) }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws {
        do {
            let file = OwnedDescriptor(try directory.open(at: path, .readOnly))
            let now = try file.borrowed.status()
            guard now.isSameFile(as: status), now.size == status.size, now.modificationTime == status.modificationTime
            else { throw changed }
            var done = 0
            while done < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count = try file.borrowed.read(
                    fromAbsoluteOffset: Int64(clamping: offset) + Int64(done), into: rest)
                guard count > 0 else { throw changed }
                done += count
            }
        } catch let error as Errno {
            throw ArchiveError(.inputOutput, "\(path) cannot be read.", cause: error)
        }
    }

    private var changed: ArchiveError {
        ArchiveError(.sourceChanged, "\(path) changed while it was being packed; pack again when nothing writes to it.")
    }
}
