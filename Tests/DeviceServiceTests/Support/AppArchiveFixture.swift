// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Archives of bundles, and what a folder holds, for comparison.
enum AppArchiveFixture {
    static func bytes(of bundle: FilePath, _ compression: Compression = .lzfse) throws -> [UInt8] {
        let output = Locked<[UInt8]>([])
        let writer = try ArchiveWriter(
            output: { bytes in output.withLock { $0.append(contentsOf: bytes) } }, compression: compression,
            fields: .mode)
        try writer.appendTree(bundle, as: bundle.lastComponent?.string)
        try writer.finish()
        return output.withLock { $0 }
    }

    /// The contents of every file below a folder.
    static func contents(below folder: FilePath) throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for entry in try FileDescriptor.currentDirectory.entries(at: folder) {
            let path = folder.appending(entry.name)
            switch entry.kind {
            case .directory: result.merge(try contents(below: path)) { $1 }
            case .regular:
                let file = try OwnedDescriptor(path, .readOnly)
                result[path.string] = try file.borrowed.readAll(limit: 64 << 20)
            default: break
            }
        }
        return result
    }

    /// Every path below a folder with its kind, mode and content.
    static func tree(_ folder: FilePath) throws -> [String] {
        let here = FileDescriptor.currentDirectory
        return try here.entries(at: folder).flatMap { entry -> [String] in
            let path = folder.appending(entry.name)
            let status = try here.status(at: path)
            let mode = String(status.permissions.rawValue, radix: 8)
            switch entry.kind {
            case .directory: return ["\(entry.name) \(mode)"] + (try tree(path).map { "\(entry.name)/\($0)" })
            case .symbolicLink: return ["\(entry.name) -> \(try here.readLink(at: path))"]
            default:
                let file = try OwnedDescriptor(path, .readOnly)
                return ["\(entry.name) \(mode) \(try file.borrowed.readAll(limit: 64 << 20).hashValue)"]
            }
        }
    }
}
