// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// An error number of the C library, as a typed Swift error.
public struct Errno: RawRepresentable, Error, Hashable, Sendable {
    /// The number as `errno.h` defines it.
    public let rawValue: CInt

    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// The calling thread's `errno`, to be read in the very expression that failed.
    public static var current: Errno { Errno(rawValue: errno) }

    public static let notPermitted = Errno(rawValue: EPERM)
    public static let noSuchFileOrDirectory = Errno(rawValue: ENOENT)
    public static let interrupted = Errno(rawValue: EINTR)
    public static let ioError = Errno(rawValue: EIO)
    public static let badFileDescriptor = Errno(rawValue: EBADF)
    public static let wouldBlock = Errno(rawValue: EAGAIN)
    public static let noMemory = Errno(rawValue: ENOMEM)
    public static let permissionDenied = Errno(rawValue: EACCES)
    public static let fileExists = Errno(rawValue: EEXIST)
    public static let improperLink = Errno(rawValue: EXDEV)
    public static let notDirectory = Errno(rawValue: ENOTDIR)
    public static let isDirectory = Errno(rawValue: EISDIR)
    public static let invalidArgument = Errno(rawValue: EINVAL)
    public static let fileTooLarge = Errno(rawValue: EFBIG)
    public static let noSpace = Errno(rawValue: ENOSPC)
    public static let readOnlyFileSystem = Errno(rawValue: EROFS)
    public static let tooManyLinks = Errno(rawValue: EMLINK)
    public static let brokenPipe = Errno(rawValue: EPIPE)
    public static let fileNameTooLong = Errno(rawValue: ENAMETOOLONG)
    public static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
    public static let tooManySymbolicLinkLevels = Errno(rawValue: ELOOP)
    public static let notSupported = Errno(rawValue: EOPNOTSUPP)
    public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
    public static let connectionReset = Errno(rawValue: ECONNRESET)
    public static let timedOut = Errno(rawValue: ETIMEDOUT)
    public static let addressInUse = Errno(rawValue: EADDRINUSE)
    public static let diskQuotaExceeded = Errno(rawValue: EDQUOT)
}

extension Errno {
    /// Lets `catch Errno.noSuchFileOrDirectory` match an error of any type.
    public static func ~= (pattern: Errno, error: any Error) -> Bool { (error as? Errno) == pattern }
}

extension Errno: CustomStringConvertible {
    /// The C library's text for the number, such as "No such file or directory".
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(rawValue, base, buffer.count) == 0 else {
                return "error \(rawValue)"
            }
            return String(cString: base)
        }
    }
}
