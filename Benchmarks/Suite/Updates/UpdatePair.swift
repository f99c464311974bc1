// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Two versions of one tree: as folders, and as tars with sorted names, without times and owners, for programs that take
/// one file.
struct UpdatePair: Sendable {
    let name: String
    let old: FilePath
    let new: FilePath
    let oldTar: FilePath
    let newTar: FilePath

    /// - Parameter folder: gets the tars.
    init(name: String, old: FilePath, new: FilePath, folder: FilePath) throws {
        self.name = name
        (self.old, self.new) = (old, new)
        (oldTar, newTar) = (folder.appending("old.tar"), folder.appending("new.tar"))
        for (tree, tar) in [(old, oldTar), (new, newTar)] {
            try Self.succeed([
                "tar", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar",
                "-cf",
                tar.string, "-C", tree.string, ".",
            ])
        }
    }

    /// Bytes of the new version's tar.
    var newSize: Int64 { get throws { try FileDescriptor.currentDirectory.status(at: newTar).size } }

    /// Bytes of the new version's files whose content the old version has nowhere.
    func changedBytes() throws -> Int64 {
        let known = Set(try Self.digests(of: old).map(\.digest))
        return try Self.digests(of: new).filter { !known.contains($0.digest) }.reduce(0) { sum, file in
            sum + (try FileDescriptor.currentDirectory.status(at: new.pushing(FilePath(file.path))).size)
        }
    }

    private static func digests(of tree: FilePath) throws -> [(digest: Substring, path: String)] {
        let result = try ChildProcess.run(
            executable: "find", arguments: [".", "-type", "f", "-exec", "sha256sum", "{}", "+"], workingDirectory: tree)
        return result.outputText.split(separator: "\n").filter { !$0.hasPrefix("\\") }.map { line in
            (line.prefix(64), String(line.dropFirst(66)))
        }
    }

    /// - Throws: `BenchmarkError` unless the file is the new version's tar.
    func expectNewTar(_ file: FilePath) throws { try Self.succeed(["cmp", file.string, newTar.string]) }

    /// - Throws: `BenchmarkError` unless the folder has what the new version has.
    func expectNewTree(_ folder: FilePath) throws {
        try Self.succeed(["diff", "-r", "--no-dereference", "-q", folder.string, new.string])
    }

    static func succeed(_ words: [String]) throws {
        let result = try ChildProcess.run(executable: FilePath(words[0]), arguments: Array(words.dropFirst()))
        guard result.exitCode == 0 else {
            throw BenchmarkError("\(words.joined(separator: " ")): \(result.errorText)\(result.outputText)")
        }
    }
}
