// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// A bound on what a child and its own children may use, kept by the kernel.
package struct ResourceLimit: Hashable, Sendable {
    package enum Resource: Hashable, Sendable {
        /// Private memory that may be written, in bytes; files that are mapped to be read do not count.
        case privateMemory
        /// The file that a crash leaves, in bytes.
        case coreFile
        case openFiles
        /// A file that is written, in bytes; writing beyond it ends the process with SIGXFSZ.
        case fileSize

        var number: Int32 {
            switch self {
            case .privateMemory: Int32(RLIMIT_DATA.rawValue)
            case .coreFile: Int32(RLIMIT_CORE.rawValue)
            case .openFiles: Int32(RLIMIT_NOFILE.rawValue)
            case .fileSize: Int32(RLIMIT_FSIZE.rawValue)
            }
        }
    }

    package var resource: Resource
    package var value: UInt64

    package init(_ resource: Resource, _ value: UInt64) {
        self.resource = resource
        self.value = value
    }
}
