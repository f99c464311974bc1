// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// A failure of the output, told apart from one of the sources.
struct OutputFailure: Error {
    let cause: any Error
}

extension Packager {
    /// What a failure to write an output file means, and what to do about it.
    package static func describe(_ error: any Error, writing path: FilePath) -> AssetPackError {
        if let error = error as? AssetPackError { return error }
        switch error as? Errno {
        case .fileExists:
            return AssetPackError(
                .outputExists, "\"\(path)\" exists already and is not overwritten. Remove it, or name another file.")
        case .noSpace, .diskQuotaExceeded:
            return AssetPackError(
                .noSpace,
                "There is no room left for \"\(path)\"; nothing was left behind. Make room, or name another disk.")
        case .fileTooLarge:
            return AssetPackError(
                .noSpace,
                "\"\(path)\" would be larger than the file system or the process's limit allows; nothing was left behind."
            )
        case .noSuchFileOrDirectory, .notDirectory:
            return AssetPackError(.notFound, "The folder for \"\(path)\" does not exist. Make it, or name another.")
        default:
            return AssetPackError(.io, "Could not write \"\(path)\": \(error.clause).", cause: nil)
        }
    }
}
