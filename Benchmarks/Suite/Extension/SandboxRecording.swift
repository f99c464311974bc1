// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// The line with which the service starts an extension in bubblewrap, taken down by a script of that name in its `PATH`.
struct SandboxRecording {
    private static let here = FileDescriptor.currentDirectory

    private let arguments: [String]
    private let environment: [String: String]
    private let filter: FilePath
    private let bubblewrap: FilePath

    /// Puts the script into `folder`; the service is to find it first.
    static func prepare(in folder: FilePath) throws {
        try here.makeDirectories(at: folder)
        let bubblewrap = try program()
        let script = """
            #!/bin/sh
            case "$*" in *Downloader*)
                printf '%s\\0' "$@" >\(folder)/arguments
                env -0 >\(folder)/environment
                cat /proc/self/fd/4 >\(folder)/filter
            esac
            exec \(bubblewrap) "$@"

            """
        let file = try OwnedDescriptor(
            folder.appending("bwrap"), .writeOnly, options: [.create], permissions: FilePermissions(rawValue: 0o755))
        try file.borrowed.writeAll(script.utf8)
    }

    /// What the script in `folder` took down.
    init(in folder: FilePath) throws {
        func words(_ name: String) throws -> [String] {
            try File.read(folder.appending(name), limit: 1 << 20).split(separator: 0)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        arguments = try words("arguments")
        environment = Dictionary(
            try words("environment").compactMap { word in
                word.firstIndex(of: "=").map { (String(word[..<$0]), String(word[word.index(after: $0)...])) }
            }
        ) { first, _ in first }
        filter = folder.appending("filter")
        bubblewrap = try Self.program()
    }

    /// Starts the extension by hand and asks it what it wants. Blocks.
    /// - Parameter manifest: the contents of the app's manifest.
    /// - Returns: seconds from the start to its answer.
    func timeToAnswer(manifest: String) throws -> Double {
        // What the service makes before, and takes away after, each run.
        for (option, path) in zip(arguments, arguments.dropFirst()) where option == "--bind" {
            try Self.here.makeDirectories(at: FilePath(path))
        }
        guard let file = arguments.last(where: { $0.hasSuffix("/downloads/manifest") }) else {
            throw BenchmarkError("the extension is shown no manifest")
        }
        try AtomicFile.write(manifest.utf8, to: FilePath(file), durable: false)
        let null = try OwnedDescriptor("/dev/null", .readWrite)
        let filter = try OwnedDescriptor(filter, .readOnly)
        let question = try WireCodec.request(
            1,
            ContentRequest(
                event: "periodic", manifest: file, downloadSizeRemaining: nil, essentialDownloadSizeRemaining: nil))
        let begin = ContinuousClock.now
        let (own, theirs) = try UnixSocket.pair()
        let channel = FrameChannel(OwnedDescriptor(own))
        let given = OwnedDescriptor(theirs)
        let child = try ChildProcess.spawn(
            executable: bubblewrap, arguments: arguments, environment: environment,
            descriptors: [0: null.borrowed, 1: null.borrowed, 3: given.borrowed, 4: filter.borrowed], newSession: true)
        try channel.send(question)
        let answer = try channel.receive()
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        guard let answer, try WireCodec.result(ContentRequest.Reply.self, answer).downloads.count == 1 else {
            throw BenchmarkError("the extension did not answer")
        }
        channel.finishSending()
        try child.wait()
        return seconds
    }

    private static func program() throws -> FilePath {
        guard let path = Environment.findExecutable("bwrap") else { throw BenchmarkError("bwrap is not installed") }
        return path
    }
}
