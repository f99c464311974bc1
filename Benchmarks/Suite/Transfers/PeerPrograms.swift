// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// What a fetch of some files took.
struct FetchCost {
    var seconds: Double
    /// Of the program's own code and of the kernel for it.
    var processorSeconds: Double
}

/// A program that fetches files, as one would call it without Larder.
enum PeerProgram: CaseIterable {
    case curl, aria2

    var name: String { self == .curl ? "curl" : "aria2c" }

    /// Fetches files at once, each over a connection of its own.
    /// - Parameter flushing: the files are on the disk when it ends, as Larder's are.
    func fetch(_ urls: [String], into folder: FilePath, trusting authority: FilePath, flushing: Bool) throws
        -> FetchCost
    {
        let (childrenStart, ownStart) = (Self.processorSeconds(RUSAGE_CHILDREN), Self.processorSeconds(RUSAGE_SELF))
        var result = FetchCost(seconds: 0, processorSeconds: 0)
        result.seconds = try Report.time {
            try run(arguments(urls, folder, authority))
            guard flushing else { return }
            for url in urls {
                let name = String(url[url.index(after: url.lastIndex(of: "/") ?? url.startIndex)...])
                let file = try OwnedDescriptor(folder.appending(name), .readWrite)
                try file.borrowed.synchronize()
            }
        }
        // To write the files out is part of it; where nothing is flushed this process only waits.
        result.processorSeconds = Self.processorSeconds(RUSAGE_CHILDREN) - childrenStart
        if flushing { result.processorSeconds += Self.processorSeconds(RUSAGE_SELF) - ownStart }
        return result
    }

    private func arguments(_ urls: [String], _ folder: FilePath, _ authority: FilePath) -> [String] {
        switch self {
        case .curl:
            ["-sS", "--fail", "--cacert", authority.string, "--output-dir", folder.string, "--remote-name-all"]
                + (urls.count > 1 ? ["--parallel", "--parallel-immediate", "--parallel-max", "\(urls.count)"] : [])
                + urls
        case .aria2:
            // Without a plan of its own for the disk, without asking twice for a file, and silent.
            [
                "--quiet", "--no-conf", "--file-allocation=none", "--ca-certificate=\(authority)", "--dir=\(folder)",
                "--max-concurrent-downloads=\(urls.count)", "--force-sequential=true",
            ] + urls
        }
    }

    private func run(_ arguments: [String]) throws {
        let result = try ChildProcess.run(executable: FilePath(name), arguments: arguments)
        guard result.exitCode == 0 else { throw BenchmarkError("\(name): \(result.errorText)\(result.outputText)") }
    }

    /// Of this process, or of all children that have ended: the server has not.
    private static func processorSeconds(_ who: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(CInt(who.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
