// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System
package import TestSupport

/// An app bundle made of `ProbeApp` and `ProbeExtension`, unless told otherwise.
package struct SampleApp {
    package static let bundleID = "com.example.probe"

    package var identifier = SampleApp.bundleID
    /// The program of the build that is the app; nil: one that nobody starts.
    package var program: String? = "ProbeApp"
    /// Likewise; without, one that fails.
    package var extensionProgram: String? = "ProbeExtension"
    package var version = "1.0"
    /// Where the manifest is; with an URL override it only has to be well-formed.
    package var manifestURL = "https://localhost:1/manifest"
    /// Further `Info.plist` keys as XML values.
    package var keys: [String: String?] = [:]
    /// `ProbeExtension`'s behaviour.
    package var extensionBehaviour = "accept"

    /// Further files by path.
    package var files: [String: [UInt8]] = [:]

    package init() {}

    /// Writes `<name>.app` into the scratch folder and returns its path.
    package func write(into scratch: Scratch, named name: String = "Probe") throws -> FilePath {
        var fixture = AppFixture()
        fixture.name = name
        fixture.identifier = identifier
        fixture.version = version
        fixture.keys = AppFixture.managedKeys(manifestURL: manifestURL).merging(keys) { $1 }
        fixture.files = files.merging(["Extensions/Downloader.appex/behaviour": Array(extensionBehaviour.utf8)]) { $1 }
        fixture.extensionProgram = try extensionProgram.map(Binaries.path)
        let bundle = try fixture.write(in: scratch.path)
        if let program { try copy(program, to: bundle.appending(name)) }
        return bundle
    }

    private func copy(_ program: String, to place: FilePath) throws {
        let result = try ChildProcess.run(
            executable: "cp", arguments: [try Binaries.path(program).string, place.string])
        guard result.exitCode == 0 else { throw TestFailure(result.errorText) }
    }
}
