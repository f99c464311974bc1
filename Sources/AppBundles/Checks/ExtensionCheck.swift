// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Finds the downloader extension of an app and checks it (BA 2.2).
enum ExtensionCheck {
    static func downloader(
        in root: FileDescriptor, path: FilePath, app: String?, version: BundleBasics.Version?,
        keys: BackgroundAssetsKeys,
        _ reader: inout KeyReader
    ) -> DownloaderExtension? {
        var found: [DownloaderExtension] = []
        for folder in bundles(in: "Extensions", root) {
            if let downloader = read(folder, root, path: path, app: app, version: version, &reader) {
                found.append(downloader)
            }
        }
        for folder in bundles(in: "PlugIns", root) where pointIdentifier(path.appending(folder.string)) != nil {
            reader.note(
                .error, folder.string, "A downloader extension lies in PlugIns, where none is looked for.",
                "Move the .appex folder to Extensions.")
        }
        if found.count > 1 {
            reader.note(
                .error, "Extensions",
                "There are \(found.count) downloader extensions: "
                    + found.map(\.relativePath.string).joined(separator: ", ") + ".", "Keep one.")
        }
        if found.isEmpty, keys.mode != .none, !reader.findings.contains(where: { $0.subject.mentions(".appex") }) {
            reader.note(
                .error, "Extensions", "The app has asset packs, but no downloader extension.",
                "Put Name.appex into Extensions, with EXAppExtensionAttributes.EXExtensionPointIdentifier = "
                    + "\(DownloaderExtension.pointIdentifier) in its Info.plist.")
        }
        return found.first
    }

    private static func bundles(in folder: FilePath, _ root: FileDescriptor) -> [FilePath] {
        let entries = (try? root.entries(at: folder)) ?? []
        return entries.filter { $0.kind == .directory && $0.name.hasSuffix(".appex") }.map { folder.appending($0.name) }
    }

    /// The downloader's point identifier if the bundle names it.
    private static func pointIdentifier(_ path: FilePath) -> String? {
        guard let plist = try? PropertyListFile(contentsOf: path.appending("Info.plist")),
            case .dictionary(let attributes) = plist.values["EXAppExtensionAttributes"],
            case .string(DownloaderExtension.pointIdentifier) = attributes["EXExtensionPointIdentifier"]
        else { return nil }
        return DownloaderExtension.pointIdentifier
    }

    private static func read(
        _ folder: FilePath, _ root: FileDescriptor, path: FilePath, app: String?, version: BundleBasics.Version?,
        _ appReader: inout KeyReader
    ) -> DownloaderExtension? {
        let plist: PropertyListFile
        do {
            plist = try PropertyListFile(contentsOf: path.appending(folder.string).appending("Info.plist"))
        } catch {
            appReader.note(
                .error, folder.string, "Its Info.plist cannot be used: \(error)",
                "Write one; it must name the extension point.")
            return nil
        }
        var reader = KeyReader(plist.values, prefix: "\(folder): ")
        defer { appReader.add(reader.findings) }
        guard isDownloader(&reader) else { return nil }
        let identifier = BundleBasics.identifier(&reader)
        if let app, let identifier, !identifier.hasPrefix(app + ".") {
            reader.note(
                .error, "CFBundleIdentifier", "\"\(identifier)\" does not begin with the app's id.",
                "Name it \(app).downloader or the like.")
        }
        if let version, let own = BundleBasics.version(&reader), own != version {
            reader.note(
                .error, "CFBundleVersion",
                "It is \(own.short) (\(own.build)), and the app's is \(version.short) (\(version.build)).",
                "Give both the same CFBundleShortVersionString and CFBundleVersion.")
        }
        if reader.string("CFBundleDisplayName") == nil, !reader.has("CFBundleDisplayName") {
            reader.note(
                .warning, "CFBundleDisplayName", "It is missing; stores require it.", "Add the name people see.")
        }
        let executable = BundleBasics.executable(&reader, in: root, below: folder)
        guard let identifier, let executable else { return nil }
        return DownloaderExtension(relativePath: folder, identifier: identifier, executableName: executable)
    }

    /// False for extensions of other points, which are none of the service's business.
    private static func isDownloader(_ reader: inout KeyReader) -> Bool {
        guard let values = reader.dictionary("EXAppExtensionAttributes") else {
            if reader.has("NSExtension") {
                reader.note(
                    .warning, "NSExtension", "Extensions of this older kind are passed over.",
                    "A downloader extension has EXAppExtensionAttributes instead.")
            } else if !reader.has("EXAppExtensionAttributes") {
                reader.note(
                    .error, "EXAppExtensionAttributes", "It is missing.",
                    "Add a dictionary with EXExtensionPointIdentifier = \(DownloaderExtension.pointIdentifier).")
            }
            return false
        }
        var attributes = KeyReader(values, prefix: reader.prefix + "EXAppExtensionAttributes.")
        let point = attributes.string("EXExtensionPointIdentifier")
        if point == nil, !attributes.has("EXExtensionPointIdentifier") {
            attributes.note(
                .error, "EXExtensionPointIdentifier", "It is missing.",
                "Set it to \(DownloaderExtension.pointIdentifier).")
        }
        if let point, point != DownloaderExtension.pointIdentifier, point.mentions("background-asset") {
            attributes.note(
                .error, "EXExtensionPointIdentifier", "\"\(point)\" is not the downloader's extension point.",
                "Set it to \(DownloaderExtension.pointIdentifier).")
        }
        reader.add(attributes.findings)
        return point == DownloaderExtension.pointIdentifier
    }
}
