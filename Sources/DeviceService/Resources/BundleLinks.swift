// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import PackNamespace
import ResourceTags
import System

/// Links to the files of local tagged packs, in the folder of the app's base, where Foundation's `Bundle` looks resources up.
///
/// A link lies where the file would lie had it come with the app, and names the version that is in force. Only what a pack of
/// the app's own list holds is linked, never over anything that came with the app, and never through its links.
final class BundleLinks: Sendable {
    private let layout: AppRootLayout
    /// The last base that was looked at, and which packs its list names.
    private let known = Locked<(base: FilePath, packs: Set<String>)?>(nil)

    /// How deep below the app root the base's folder is: `bundle/<n>/Name.app`.
    private static let depth = 3
    /// Folders in which code is looked for: no pack adds any.
    private static let closed: Set<String> = ["Extensions", "PlugIns", "Frameworks"]

    init(layout: AppRootLayout) { self.layout = layout }

    /// The folder of the base in force, if `pack` is one of its tagged packs.
    private func base(with pack: String) -> FilePath? {
        let here = FileDescriptor.currentDirectory
        let current = layout.bundle.appending("current")
        guard let number = try? here.readLink(at: current),
            let name = try? here.entries(at: current).first(where: {
                $0.kind == .directory && $0.name.hasSuffix(".app")
            })?.name
        else { return nil }
        let base = layout.bundle.appending(number).appending(name)
        return known.withLock { known in
            if let known, known.base == base { return known.packs.contains(pack) ? base : nil }
            let packs = Set(((try? InstalledTags(app: base)) ?? nil)?.tagsByPackID.keys.map { $0 } ?? [])
            known = (base, packs)
            return packs.contains(pack) ? base : nil
        }
    }

    /// Links the files of a version of a pack, in place of those of another version.
    /// - Parameters:
    ///   - files: paths below the pack's directory; those of one folder one after the other are quickest.
    ///   - directory: the version's, relative to the app root.
    /// - Throws: `Errno`
    func link(_ pack: String, files: [String], in directory: String) throws {
        guard !files.isEmpty, let base = base(with: pack) else { return }
        try forEach(files, below: base, making: true) { folder, name, path, depth in
            let target = Self.target(path, in: directory, depth: depth)
            do {
                try folder.makeSymbolicLink(to: target, at: name)
            } catch Errno.fileExists {
                // What came with the app stays.
                guard let other = try? folder.readLink(at: name), Self.isOwn(other), other != target else { return }
                let next = FilePath(".\(name.string).larder")
                _ = try? folder.remove(at: next)
                try folder.makeSymbolicLink(to: target, at: next)
                try folder.rename(from: next, to: name)
            }
        }
    }

    /// Takes the links to a version's files away; those that name another by now stay.
    /// - Throws: `Errno`
    func unlink(_ pack: String, files: [String], in directory: String) throws {
        guard !files.isEmpty, let base = base(with: pack) else { return }
        try forEach(files, below: base, making: false) { folder, name, path, depth in
            guard let target = try? folder.readLink(at: name), target == Self.target(path, in: directory, depth: depth)
            else { return }
            try folder.remove(at: name)
        }
    }

    /// Takes away every link whose file is gone. For a start: a crash may have left some.
    /// - Throws: `Errno`
    func removeDangling() throws {
        let here = FileDescriptor.currentDirectory
        guard let bases = try? here.entries(at: layout.bundle.appending("current")) else { return }
        for entry in bases where entry.kind == .directory {
            let base = layout.bundle.appending("current").appending(entry.name)
            guard here.exists(at: base.appending(OnDemandResourcesPlist.fileName)) else { continue }
            let folder = OwnedDescriptor(try here.open(at: base, .readOnly, options: .directory))
            try removeDangling(in: folder.borrowed, depth: 0)
        }
    }

    private func removeDangling(in folder: FileDescriptor, depth: Int) throws {
        guard depth < TreeCopy.depthLimit else { return }
        for entry in try folder.entries() {
            let name = FilePath(entry.name)
            switch entry.kind {
            case .directory:
                let inner = OwnedDescriptor(try folder.open(at: name, .readOnly, options: [.directory, .noFollow]))
                try removeDangling(in: inner.borrowed, depth: depth + 1)
            case .symbolicLink:
                guard let target = try? folder.readLink(at: name), Self.isOwn(target) else { continue }
                let place = layout.root.appending(String(target.drop(while: { $0 == "." || $0 == "/" })))
                if !FileDescriptor.currentDirectory.exists(at: place) { try folder.remove(at: name) }
            default: continue
            }
        }
    }

    private static func target(_ path: String, in directory: String, depth: Int) -> String {
        String(repeating: "../", count: depth + Self.depth) + directory + "/" + path
    }

    /// Whether a link is one of these: it leads up to the app root and from there to a pack.
    private static func isOwn(_ target: String) -> Bool {
        target.hasPrefix("../") && target.drop(while: { $0 == "." || $0 == "/" }).hasPrefix("packs/")
    }

    /// Calls `body` with the folder of each file, which is never reached through a link. Files that lie where the base has
    /// something else than a folder are passed over, and so are paths that lead anywhere else.
    private func forEach(
        _ files: [String], below base: FilePath, making: Bool,
        _ body: (_ folder: FileDescriptor, _ name: FilePath, _ path: String, _ depth: Int) throws -> Void
    ) throws {
        let root = try OwnedDescriptor(base, .readOnly, options: [.directory, .noFollow])
        var open: (path: Substring, folder: OpenFolder?) = ("", OpenFolder(try root.borrowed.duplicate()))
        for path in files where path.isPlainPath {
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            let parent = end.map { path[..<$0] } ?? ""
            if !parent.isSamePath(as: open.path) {
                open = (parent, try Self.folder(parent, below: root.borrowed, making: making))
            }
            guard let folder = open.folder else { continue }
            let names = parent.pathNames
            let name = end.map { path[path.utf8.index(after: $0)...] } ?? path[...]
            if let first = names.first, Self.closed.contains(String(first)) { continue }
            try body(folder.descriptor.borrowed, FilePath(String(name)), path, names.count)
        }
    }

    /// A folder below the base; nil when there is none, or something else.
    private static func folder(
        _ path: Substring, below root: FileDescriptor, making: Bool
    ) throws -> OpenFolder? {
        var folder = OpenFolder(try root.duplicate())
        for name in path.pathNames {
            let name = FilePath(String(name))
            do {
                folder = OpenFolder(
                    try folder.descriptor.borrowed.open(at: name, .readOnly, options: [.directory, .noFollow]))
            } catch Errno.noSuchFileOrDirectory where making {
                try folder.descriptor.borrowed.makeDirectory(at: name)
                folder = OpenFolder(
                    try folder.descriptor.borrowed.open(at: name, .readOnly, options: [.directory, .noFollow]))
            } catch let error as Errno
                where [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error)
            {
                return nil
            }
        }
        return folder
    }

    private final class OpenFolder {
        let descriptor: OwnedDescriptor
        init(_ descriptor: FileDescriptor) { self.descriptor = OwnedDescriptor(descriptor) }
    }
}
