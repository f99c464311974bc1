// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// Reads an app bundle and says everything that is wrong with it at once.
package enum AppBundleReader {
    /// What reading a folder gave: findings always, the bundle when none of them is an error.
    package struct Result: Sendable {
        package let bundle: AppBundle?
        package let findings: [BundleFinding]
    }

    /// The bundle at `path`.
    /// - Throws: `BundleError` listing what must be put right.
    package static func bundle(at path: FilePath) throws -> AppBundle {
        let result = try read(path)
        guard let bundle = result.bundle else {
            throw BundleError(findings: result.findings, bundle: path.lastComponent?.string ?? path.string)
        }
        return bundle
    }

    /// Reads and checks the bundle at `path`. Blocks.
    /// - Throws: `BundleError` when the folder or its `Info.plist` cannot be read at all.
    package static func read(_ path: FilePath) throws -> Result {
        let root: OwnedDescriptor
        do {
            root = try OwnedDescriptor(path, .readOnly, options: .directory)
        } catch Errno.noSuchFileOrDirectory {
            throw BundleError(.notFound, "There is no app bundle at \(path).")
        } catch {
            throw BundleError(.unreadable, "\(path) is no folder that can be opened: \(error.clause).")
        }
        guard root.borrowed.exists(at: "Info.plist") else {
            throw BundleError(
                .invalid,
                "\(path) has no Info.plist. An app bundle is a folder Name.app with Info.plist and its executable in it."
            )
        }
        let plist = try PropertyListFile(contentsOf: path.appending("Info.plist"))
        var reader = KeyReader(plist.values)
        let identifier = BundleBasics.identifier(&reader)
        let version = BundleBasics.version(&reader)
        let executable = BundleBasics.executable(&reader, in: root.borrowed, below: "")
        let name = path.stem ?? path.string
        if path.extension != "app" {
            reader.note(
                .warning, path.lastComponent?.string ?? path.string, "The folder's name does not end in .app.",
                "Rename it to \(name).app.")
        }
        let keys = BackgroundAssetsCheck.read(&reader)
        let displayName = reader.string("CFBundleDisplayName") ?? reader.string("CFBundleName") ?? name
        let downloader = ExtensionCheck.downloader(
            in: root.borrowed, path: path, app: identifier, version: version, keys: keys, &reader)

        guard let identifier, let version, let executable,
            !reader.findings.contains(where: { $0.severity == .error })
        else { return Result(bundle: nil, findings: reader.findings) }
        let bundle = AppBundle(
            path: path, identifier: identifier, displayName: displayName, version: version.short, build: version.build,
            executableName: executable, backgroundAssets: keys, downloader: downloader)
        return Result(bundle: bundle, findings: reader.findings)
    }

    /// The bundle id of an app that need not be complete yet. Blocks.
    /// - Throws: `BundleError`
    package static func identifier(at path: FilePath) throws -> String { try string("CFBundleIdentifier", at: path) }

    /// The name of the executable of an app that need not be complete yet. Blocks.
    /// - Throws: `BundleError`
    package static func executableName(at path: FilePath) throws -> String {
        try string("CFBundleExecutable", at: path)
    }

    private static func string(_ key: String, at path: FilePath) throws -> String {
        var reader = KeyReader(try PropertyListFile(contentsOf: path.appending("Info.plist")).values)
        if let text = reader.string(key) { return text }
        throw BundleError(.invalid, "\(path)/Info.plist has no string \(key). Add it.")
    }
}
