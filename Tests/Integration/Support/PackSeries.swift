// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// Versions of one pack, with the indexes and patches that ba-package makes of them.
struct PackSeries {
    static let id = "Isles"

    private(set) var versions: [SamplePack] = []
    private let scratch: Scratch
    private let tool: FilePath

    init(_ scratch: Scratch) throws {
        self.scratch = scratch
        tool = scratch("ba-package")
        try FileDescriptor.currentDirectory.makeSymbolicLink(to: try Binaries.path("larder").string, at: tool)
    }

    /// The next version, with its index beside it.
    @discardableResult
    mutating func add(_ files: [String: [UInt8]]) async throws -> SamplePack {
        let pack = try SamplePack.make(
            Self.id, version: versions.count + 1, policy: "essential", files: files, blockSize: 64 << 10, in: scratch)
        try await run("index", pack.archive.string)
        versions.append(pack)
        return pack
    }

    /// The patch from one version to another, beside the latter.
    /// - Returns: its size in bytes.
    @discardableResult
    func makePatch(from old: Int, to new: Int) async throws -> Int64 {
        let archive = versions[new - 1].archive.string
        let path = FilePath(String(archive.dropLast(4)) + ".from-\(old).patch")
        try await run("patch", versions[old - 1].archive.string, archive, "-o", path.string)
        return try FileDescriptor.currentDirectory.status(at: path).size
    }

    private func run(_ arguments: String...) async throws {
        let tool = tool
        let output = try await onOwnThread {
            try ChildProcess.run(
                executable: tool, arguments: arguments, environment: Binaries.hermeticEnvironment,
                atMost: .seconds(120))
        }
        try #require(output.exitCode == 0, "\(arguments): \(output.errorText)")
    }

    // MARK: - Contents

    /// Files as a first version has them.
    static func files(count: Int = 24, size: Int = 60_000, using generator: inout SeededGenerator) -> [String: [UInt8]]
    {
        SamplePack.randomFiles(id, count: count, size: size, using: &generator)
    }

    /// As a next version has them: most, or each so manieth, changed a little here and there, one renamed, one new, one gone.
    static func changed(
        _ files: [String: [UInt8]], each step: Int = 1, using generator: inout SeededGenerator
    ) -> [String: [UInt8]] {
        var files = files
        let paths = files.keys.sorted()
        for number in stride(from: 0, to: paths.count - 3, by: step) {
            let path = paths[number]
            for offset in stride(from: 100, to: files[path]?.count ?? 0, by: 15_000) {
                files[path]?[offset] ^= UInt8.random(in: 1...255, using: &generator)
            }
        }
        files["\(id)/renamed-\(generator.next()).bin"] = files.removeValue(forKey: paths[paths.count - 1])
        files[paths[paths.count - 2]] = nil
        files["\(id)/new-\(generator.next()).bin"] = generator.bytes(3000)
        return files
    }
}
