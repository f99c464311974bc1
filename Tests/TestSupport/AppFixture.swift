// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// Builds an app bundle for a test, right unless told otherwise.
package struct AppFixture: Sendable {
    package var name = "Game"
    package var identifier = "org.example.game"
    package var version = "1.0"
    package var executable = "#!/bin/sh\nexit 0\n"
    /// Keys of the app's `Info.plist` as XML values; they replace or, when nil, remove the usual ones.
    package var keys: [String: String?] = [:]
    package var hasExtension = true
    package var extensionFolder = "Extensions"
    package var extensionExecutable = "#!/bin/sh\nexit 0\n"
    /// A program that is the extension in place of that script.
    package var extensionProgram: FilePath?
    /// Likewise for the extension.
    package var extensionKeys: [String: String?] = [:]
    /// Extra files by path.
    package var files: [String: [UInt8]] = [:]

    package init() {}

    /// The keys of a self-hosted managed app.
    package static func managedKeys(
        manifestURL: String, domains: [String] = ["127.0.0.1", "localhost"]
    ) -> [String: String?] {
        [
            "BAAppGroupID": "<string>group.org.example.game</string>",
            "BAHasManagedAssetPacks": "<true/>",
            "BAManifestURL": "<string>\(manifestURL)</string>",
            "BAMaxInstallSize": "<integer>10000000000</integer>",
            "BAEssentialMaxInstallSize": "<integer>10000000000</integer>",
            "BAInitialDownloadRestrictions": """
            <dict><key>BADownloadAllowance</key><integer>10000000000</integer>
            <key>BAEssentialDownloadAllowance</key><integer>10000000000</integer>
            <key>BADownloadDomainAllowList</key><array>\(domains.map { "<string>\($0)</string>" }.joined())</array></dict>
            """,
        ]
    }

    /// Writes the bundle into `folder` and returns its path.
    package func write(in folder: FilePath) throws -> FilePath {
        let here = FileDescriptor.currentDirectory
        let app = folder.appending("\(name).app")
        try here.makeDirectories(at: app)
        try put(Array(executable.utf8), at: app.appending(name), executable: true)
        var plist: [String: String?] = [
            "CFBundleIdentifier": "<string>\(identifier)</string>",
            "CFBundleExecutable": "<string>\(name)</string>",
            "CFBundleDisplayName": "<string>\(name)</string>",
            "CFBundleShortVersionString": "<string>\(version)</string>",
            "CFBundleVersion": "<string>\(version)</string>",
        ]
        plist.merge(keys) { $1 }
        try put(Array(Self.plist(plist).utf8), at: app.appending("Info.plist"))
        if hasExtension {
            let folder = app.appending(extensionFolder).appending("Downloader.appex")
            try here.makeDirectories(at: folder)
            let executable = folder.appending("Downloader")
            if let extensionProgram {
                // Not by this process: what another test starts meanwhile would have the file open for writing until it is
                // itself, and nobody could run it.
                let copying = try ChildProcess.run(
                    executable: "cp", arguments: ["--remove-destination", extensionProgram.string, executable.string])
                guard copying.exitCode == 0 else { throw KitError(.process, copying.errorText) }
            } else {
                try put(Array(extensionExecutable.utf8), at: executable, executable: true)
            }
            var plist: [String: String?] = [
                "CFBundleIdentifier": "<string>\(identifier).downloader</string>",
                "CFBundleExecutable": "<string>Downloader</string>",
                "CFBundleDisplayName": "<string>Downloader</string>",
                "CFBundleShortVersionString": "<string>\(version)</string>",
                "CFBundleVersion": "<string>\(version)</string>",
                "EXAppExtensionAttributes":
                    "<dict><key>EXExtensionPointIdentifier</key>"
                    + "<string>com.apple.background-asset-downloader-extension</string></dict>",
            ]
            plist.merge(extensionKeys) { $1 }
            try put(Array(Self.plist(plist).utf8), at: folder.appending("Info.plist"))
        }
        for (path, bytes) in files {
            let file = app.appending(path)
            try here.makeDirectories(at: file.removingLastComponent())
            try put(bytes, at: file)
        }
        return app
    }

    private func put(_ bytes: [UInt8], at path: FilePath, executable: Bool = false) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate],
            permissions: FilePermissions(rawValue: executable ? 0o755 : 0o644))
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    /// An XML property list of the keys that are not nil.
    package static func plist(_ keys: [String: String?]) -> String {
        let body = keys.sorted { $0.key < $1.key }.compactMap { key, value in
            value.map { "<key>\(key)</key>\($0)" }
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            \(body.joined(separator: "\n"))
            </dict></plist>
            """
    }
}
