// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

/// A manifest and what its selectors choose, with every check done: what `evaluate` shows and `package` packs.
package struct PackEvaluation: Sendable {
    package let manifest: PackManifest
    package let selection: Selection
    /// The folder that the selectors looked in.
    package let sourceDirectory: FilePath
    /// Of the manifest and of the selection.
    package let warnings: [Selection.Warning]

    /// Looks files up and reads the starts of those that may be executables. Blocks.
    /// - Throws: `AssetPackError`
    package init(_ manifest: PackManifest, sourceDirectory: FilePath) throws {
        self.manifest = manifest
        self.sourceDirectory = sourceDirectory
        do {
            guard
                try FileDescriptor.currentDirectory.status(at: sourceDirectory, followingLinks: true).kind == .directory
            else { throw Errno.notDirectory }
        } catch {
            let place = manifest.sourceRootPlace.map { "\($0): the" } ?? "The"
            throw AssetPackError(
                .notFound,
                "\(place) folder \"\(sourceDirectory)\", where the files of \"\(manifest.assetPackID)\" should be, cannot be "
                    + "used: \(error.clause). "
                    + (manifest.sourceRootPlace == nil
                        ? "Run this in the folder that the selectors mean."
                        : "Write its path from the manifest's own folder."),
                cause: nil)
        }
        selection = try SelectionPlanner.select(
            manifest.fileSelectors, from: FileSystemListing(root: sourceDirectory))
        var warnings = selection.warnings
        if AssetPackIdentifier.hasUnderscore(manifest.assetPackID) {
            warnings.insert(
                .init(
                    kind: .underscoreInIdentifier,
                    message: "assetPackID: App Store Connect refuses the underscore in \"\(manifest.assetPackID)\"; "
                        + "other hosts take it."), at: 0)
        }
        self.warnings = warnings
        guard selection.fileCount + selection.linkCount > 0 else {
            throw AssetPackError(
                .selection, "The pack \"\(manifest.assetPackID)\" would be empty: every file is excluded.")
        }
        if manifest.supports(.macOS) { try refuseMacExecutables() }
    }

    /// A selection that was made and checked elsewhere.
    package init(_ manifest: PackManifest, selection: Selection, sourceDirectory: FilePath) {
        self.manifest = manifest
        self.selection = selection
        self.sourceDirectory = sourceDirectory
        warnings = selection.warnings
    }

    private func refuseMacExecutables() throws {
        for item in selection.items {
            guard case .file(let source, let size, _) = item.content, size >= 4 else { continue }
            let location = sourceDirectory.appending(source.string)
            let found: String?
            do {
                let file = try OwnedDescriptor(location, .readOnly)
                // Four bytes tell nearly every file apart; only Mach-O is read further.
                guard MachO.mayBegin(try Self.read(file.borrowed, at: 0, length: 4)) else { continue }
                found = try MachO.refusal(prefix: Self.read(file.borrowed, at: 0, length: MachO.prefixLength)) {
                    try Self.read(file.borrowed, at: $0, length: $1)
                }
            } catch {
                throw AssetPackError(.io, "Could not read \"\(location)\": \(error.clause).", cause: nil)
            }
            guard let found else { continue }
            throw AssetPackError(
                .macExecutable,
                "\"\(source)\" is \(found), which Apple allows in no asset pack. Ship it inside the app, exclude it, "
                    + "or take \"macOS\" out of \"platforms\"\(manifest.platforms.isEmpty ? " by naming the others" : "")."
            )
        }
    }

    private static func read(_ file: FileDescriptor, at offset: Int64, length: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            while count < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                let step = try file.read(fromAbsoluteOffset: offset + Int64(count), into: rest)
                if step == 0 { return }
                count += step
            }
        }
    }
}
