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
