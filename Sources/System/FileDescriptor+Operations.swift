// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

extension FileDescriptor {
    /// Opens a file. Permissions are needed with `.create` and pass through the process's umask.
    /// - Throws: `Errno`
    public static func open(
        _ path: FilePath, _ mode: AccessMode, options: OpenOptions = [], permissions: FilePermissions? = nil,
        retryOnInterrupt: Bool = true
    ) throws -> FileDescriptor {
        let flags = mode.rawValue | options.rawValue | O_CLOEXEC
        return try path.withPlatformString { name in
            let number = try systemCall(retryOnInterrupt: retryOnInterrupt) {
                Glibc.open(name, flags, permissions?.rawValue ?? 0)
            }
            return FileDescriptor(rawValue: number)
        }
    }

    /// Opens the file that a C string names.
    /// - Throws: `Errno`
    public static func open(
        _ path: UnsafePointer<CChar>, _ mode: AccessMode, options: OpenOptions = [],
        permissions: FilePermissions? = nil,
        retryOnInterrupt: Bool = true
    ) throws -> FileDescriptor {
        try open(
            FilePath(platformString: path), mode, options: options, permissions: permissions,
            retryOnInterrupt: retryOnInterrupt)
    }

    /// Opens `path` relative to this open directory.
    /// - Throws: `Errno`
    package func open(
        at path: FilePath, _ mode: AccessMode, options: OpenOptions = [], permissions: FilePermissions? = nil
    ) throws -> FileDescriptor {
        let flags = mode.rawValue | options.rawValue | O_CLOEXEC
        return try path.withPlatformString { name in
            FileDescriptor(rawValue: try systemCall { openat(rawValue, name, flags, permissions?.rawValue ?? 0) })
        }
    }

    /// Closes the descriptor; the number may be reused at once, so a failed close is never tried again.
    public func close() throws {
        guard Glibc.close(rawValue) == 0 else { throw Errno.current }
    }

    /// Reads at most `buffer.count` bytes at the file's offset; 0 at the end of the file.
    public func read(into buffer: UnsafeMutableRawBufferPointer, retryOnInterrupt: Bool = true) throws -> Int {
        try systemCall(retryOnInterrupt: retryOnInterrupt) { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Reads at most `buffer.count` bytes at `offset`, without moving the file's offset.
    public func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, retryOnInterrupt: Bool = true
    ) throws -> Int {
        try systemCall(retryOnInterrupt: retryOnInterrupt) {
            pread(rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }

    /// Writes some of `buffer` at the file's offset and returns how many bytes were taken.
    public func write(_ buffer: UnsafeRawBufferPointer, retryOnInterrupt: Bool = true) throws -> Int {
        try systemCall(retryOnInterrupt: retryOnInterrupt) { Glibc.write(rawValue, buffer.baseAddress, buffer.count) }
    }

    /// Writes some of `buffer` at `offset`, without moving the file's offset.
    public func write(
        toAbsoluteOffset offset: Int64, _ buffer: UnsafeRawBufferPointer, retryOnInterrupt: Bool = true
    ) throws -> Int {
        try systemCall(retryOnInterrupt: retryOnInterrupt) {
            pwrite(rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }

    /// Writes every byte of `sequence` at the file's offset.
    @discardableResult
    public func writeAll<Bytes: Sequence>(_ sequence: Bytes) throws -> Int where Bytes.Element == UInt8 {
        if let count = try sequence.withContiguousStorageIfAvailable({ try writeAll(UnsafeRawBufferPointer($0)) }) {
            return count
        }
        return try Array(sequence).withUnsafeBytes { try writeAll($0) }
    }

    /// Writes every byte of `sequence` at `offset`, without moving the file's offset.
    @discardableResult
    public func writeAll<Bytes: Sequence>(toAbsoluteOffset offset: Int64, _ sequence: Bytes) throws -> Int
    where Bytes.Element == UInt8 {
        if let count = try sequence.withContiguousStorageIfAvailable({
            try writeAll(UnsafeRawBufferPointer($0), at: offset)
        }) {
            return count
        }
        return try Array(sequence).withUnsafeBytes { try writeAll($0, at: offset) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws -> Int {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try write(toAbsoluteOffset: offset + Int64(written), rest)
        }
        return written
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        var written = 0
        while written < bytes.count {
            written += try write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        }
        return written
    }

    /// Moves the file's offset and returns the new one, in bytes from the start.
    @discardableResult
    public func seek(offset: Int64, from origin: SeekOrigin) throws -> Int64 {
        Int64(try systemCall { lseek(rawValue, off_t(offset), origin.rawValue) })
    }

    /// Another descriptor of the same open file, with the number `target` if one is given (what had it is closed).
    public func duplicate(as target: FileDescriptor? = nil, retryOnInterrupt: Bool = true) throws -> FileDescriptor {
        let number = try systemCall(retryOnInterrupt: retryOnInterrupt) {
            target.map { dup2(rawValue, $0.rawValue) } ?? fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        }
        return FileDescriptor(rawValue: number)
    }

    /// Both ends of a new pipe, close-on-exec.
    public static func pipe() throws -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        try systemCall { Glibc.pipe(&ends) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    /// Makes the file `size` bytes long; what is added reads as zeros.
    public func resize(to size: Int64, retryOnInterrupt: Bool = true) throws {
        try systemCall(retryOnInterrupt: retryOnInterrupt) { ftruncate(rawValue, off_t(size)) }
    }

    /// Runs `body`, then closes the descriptor, also when `body` throws.
    public func closeAfter<Result>(_ body: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch {
            _ = try? close()
            throw error
        }
        try close()
        return result
    }
}
