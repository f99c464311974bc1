// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import System

/// The programs of the build that this test belongs to.
package enum Binaries {
    /// The program `name` beside the test's own bundle. It is there when the test target depends on it.
    /// - Throws: `KitError`
    package static func path(_ name: String) throws -> FilePath {
        for folder in candidateFolders() {
            let path = folder.appending(name)
            if FileDescriptor.currentDirectory.exists(at: path) { return path }
        }
        throw KitError(.path, "The program \(name) is not beside this test. Run: swift build --product \(name)")
    }

    private static func candidateFolders() -> [FilePath] {
        // The bundle is an executable in the build folder; with some runners the process is a helper that is given it.
        var folders: [FilePath] = []
        if let own = try? CurrentExecutable.path() { folders.append(own.removingLastComponent()) }
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            folders.append(FilePath(argument).removingLastComponent())
        }
        return folders
    }

    /// Runs a program of the build to its end, off the cooperative pool. A failure of it is a result, not an error.
    package static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], workingDirectory: FilePath? = nil,
        standardInput: [UInt8] = [], atMost limit: Duration = .seconds(60)
    ) async throws -> ChildProcess.Output {
        let executable = try path(name)
        let variables = hermeticEnvironment.merging(environment) { $1 }
        return try await onOwnThread {
            try ChildProcess.run(
                executable: executable, arguments: arguments, environment: variables,
                workingDirectory: workingDirectory,
                standardInput: standardInput, atMost: limit)
        }
    }

    /// Nothing of the real home: programs must be told where to go, or say that they were not.
    package static var hermeticEnvironment: [String: String] {
        // Nor of the machine: its battery and network are not to decide what a test sees.
        var result = ["LANG": "C.UTF-8", "NO_COLOR": "1", "LARDER_MACHINE_ROOT": "/var/empty/larder-machine"]
        for name in ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
            result[name] = Environment.current[name]
        }
        return result
    }
}
