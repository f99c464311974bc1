// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Kit
import ResourceTags
import System

/// An app that gets the lists of its tagged resources, and its own resources.
struct ResourceTarget: Sendable {
    let app: FilePath
    private let untagged: [PackPath]

    private static let lists = [
        OnDemandResourcesPlist.fileName, AssetPackManifestPlist.fileName, AssetPackManifestPlist.templateFileName,
    ]

    /// Looks whether the app can be filled. Blocks.
    /// - Throws: `CommandError` where something is in the way, and what is wrong with the app.
    init(app: FilePath, untagged: [PackPath]) throws {
        self.app = app
        self.untagged = untagged
        let own = Set(["Info.plist", try AppBundleReader.executableName(at: app)])
        if let path = untagged.first(where: { own.contains($0.string) }) {
            throw CommandError(
                "tags.conflict",
                "The resources hold a \"\(path)\", which would replace that of \(app). Rename it, or exclude it.")
        }
        let root = AppBundle.resources(of: app)
        for name in Self.lists + untagged.map(\.string) {
            guard let status = try? FileDescriptor.currentDirectory.status(at: root.appending(name)),
                status.kind == .directory
            else { continue }
            throw CommandError(
                "tags.conflict", "\(root.appending(name)) is a folder, where a file is to be written. Remove it.")
        }
    }

    /// Replaces what an earlier build put there, file by file. Blocks.
    /// - Parameter resources: the folder of a complete build.
    func fill(from resources: FilePath) throws {
        let root = AppBundle.resources(of: app)
        let here = FileDescriptor.currentDirectory
        do {
            func isThere(_ name: String) -> Bool { here.exists(at: resources.appending(name)) }
            for name in untagged.map(\.string) + Self.lists.filter(isThere) {
                try Self.copy(name, from: resources, to: root)
            }
            for name in Self.lists where !isThere(name) && here.exists(at: root.appending(name)) {
                try here.remove(at: root.appending(name))
            }
        } catch {
            let reason = (error as? any LarderError)?.message ?? "\(error)"
            throw CommandError(
                "tags.appNotFilled",
                "The build is complete, but \(app) did not get all of it: \(reason) Copy what is in \(resources) into the app."
            )
        }
    }

    /// Copies a file or a link to the same path in another folder, in place of what is there.
    static func copy(_ path: String, from source: FilePath, to target: FilePath) throws {
        let here = FileDescriptor.currentDirectory
        let (from, to) = (source.appending(path), target.appending(path))
        do {
            let folder = to.removingLastComponent()
            try here.makeDirectories(at: folder)
            let next = folder.appending(".larder-odr.next")
            if (try? here.status(at: next)) != nil { try here.remove(at: next) }
            if try here.status(at: from).kind == .symbolicLink {
                try here.makeSymbolicLink(to: here.readLink(at: from), at: next)
            } else {
                try File.copy(from: from, to: next)
            }
            try here.rename(from: next, to: to)
        } catch {
            throw Packager.describe(error, writing: to)
        }
    }
}
