// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Takes the entries of an archive and says whether they make an asset pack.
final class PackChecker: ArchiveSink {
    private let source: String
    /// How many items there may be, with the folders that stand in paths only.
    private let maximumItems: UInt64
    private var manifestBytes: [UInt8]?
    private var isReadingManifest = false
    /// Entries below `Contents`, by their path there.
    private var items: [String: Selection.Item] = [:]
    private var hasContentsFolder = false
    private var installedSize: Int64 = 0
    private var start = ExecutableStart()
    private var macExecutables: [String] = []
    private var notes: [String] = []
    private var untoldNotes = 0

    /// The first bytes of the file that is being read, as far as they may show an executable.
    private struct ExecutableStart {
        var path = ""
        var bytes: [UInt8] = []
        var isOpen = false
    }

    /// Warnings that are told; of any more only the number is.
    private static let maximumWarnings = 100

    init(source: String, limits: ArchiveLimits = .default) {
        self.source = source
        maximumItems = limits.maximumEntries
    }

    func begin(_ entry: EntryHeader) throws {
        if entry.path.lowercased() == Packager.manifestName, entry.type == .regularFile {
            guard manifestBytes == nil else { throw notAPack("it has two manifests") }
            guard entry.dataSize <= UInt64(PackManifest.maximumSize) else {
                throw notAPack("its manifest is larger than \(PackManifest.maximumSize >> 20) MiB")
            }
            manifestBytes = []
            isReadingManifest = true
            return
        }
        if entry.path.isEmpty, entry.type == .directory || entry.type == .metadata { return }
        if entry.path == Packager.contentsName, entry.type == .directory {
            hasContentsFolder = true
            return
        }
        let prefix = Packager.contentsName + "/"
        guard let below = entry.path.removing(pathPrefix: prefix), let path = try? PackPath(below) else {
            throw notAPack(
                "\"\(entry.path)\" is neither \"\(Packager.manifestName)\" nor below \"\(Packager.contentsName)\"")
        }
        try add(entry, at: path)
    }

    private func add(_ entry: EntryHeader, at path: PackPath) throws {
        let content: Selection.Item.Content
        switch entry.type {
        case .regularFile:
            let (sum, overflow) = installedSize.addingReportingOverflow(Int64(clamping: entry.dataSize))
            guard !overflow else { throw notAPack("its files claim more than 8 EiB") }
            installedSize = sum
            content = .file(
                source: path, size: Int64(clamping: entry.dataSize), isExecutable: (entry.mode ?? 0) & 0o100 != 0)
            start = ExecutableStart(path: path.string, isOpen: true)
        case .directory: content = .directory
        case .symbolicLink: content = .link(source: path, target: entry.linkTarget ?? "")
        default: throw notAPack("\"\(entry.path)\" is a \(entry.type.name), which no pack can hold")
        }
        if (entry.mode ?? 0) & 0o6000 != 0 {
            note("\"\(entry.path)\" has a set-user or set-group bit, which devices drop.")
        }
        let item = Selection.Item(destination: path, content: content, selector: nil)
        guard items.updateValue(item, forKey: path.string) == nil else {
            throw AssetPackError(.verification, "\(source): the path \"\(entry.path)\" stands twice in the archive.")
        }
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        if isReadingManifest {
            manifestBytes?.append(contentsOf: bytes)
        } else if start.isOpen {
            let room = MachO.prefixLength - start.bytes.count
            start.bytes.append(contentsOf: bytes.prefix(room))
            if start.bytes.count >= 4, !MachO.mayBegin(start.bytes) || room <= bytes.count { judgeStart() }
        }
    }

    func end() throws {
        isReadingManifest = false
        if start.isOpen { judgeStart() }
    }

    private func judgeStart() {
        start.isOpen = false
        // Of a universal file only what lies in its first bytes can be seen in a stream.
        let bytes = start.bytes
        let refusal = MachO.refusal(prefix: bytes) { offset, length in
            Array(bytes.dropFirst(Int(clamping: offset)).prefix(length))
        }
        if let refusal { macExecutables.append("\"\(start.path)\" is \(refusal)") }
        start.bytes.removeAll(keepingCapacity: true)
    }

    /// - Throws: `AssetPackError` when what was read is no sound asset pack.
    func contents(archiveSize: Int64, digest: String) throws -> PackContents {
        guard let manifestBytes else { throw notAPack("it has no \"\(Packager.manifestName)\"") }
        guard hasContentsFolder || !items.isEmpty else { throw notAPack("it has no \"\(Packager.contentsName)\"") }
        let manifest = try PackManifest.decodeArchived(manifestBytes, source: "\(source)/\(Packager.manifestName)")
        let all = Array(items.values)
        do {
            _ = try SelectionChecks.withParents(items, selectors: [], atMost: Int(clamping: maximumItems))
            try SelectionChecks.checkLinks(all, selectors: [])
        } catch let error as AssetPackError {
            throw AssetPackError(.verification, "\(source): \(error.message)")
        }
        if manifest.supports(.macOS), let first = macExecutables.first {
            throw AssetPackError(
                .macExecutable, "\(source): \(first), which Apple allows in no asset pack for macOS.")
        }
        SelectionChecks.nameWarnings(all).forEach { note($0.message) }
        if AssetPackIdentifier.hasUnderscore(manifest.assetPackID) {
            note("App Store Connect refuses the underscore in \"\(manifest.assetPackID)\".")
        }
        func count(_ isCounted: (Selection.Item.Content) -> Bool) -> Int { all.count { isCounted($0.content) } }
        return PackContents(
            manifest: manifest, archiveSize: archiveSize, digest: digest, installedSize: installedSize,
            fileCount: count { if case .file = $0 { true } else { false } },
            linkCount: count { if case .link = $0 { true } else { false } },
            directoryCount: count { $0 == .directory }, warnings: warnings)
    }

    private func note(_ warning: String) {
        if notes.count < Self.maximumWarnings { notes.append(warning) } else { untoldNotes += 1 }
    }

    private var warnings: [String] {
        untoldNotes == 0 ? notes : notes + ["There are \(untoldNotes) warnings more."]
    }

    private func notAPack(_ reason: String) -> AssetPackError {
        AssetPackError(.notAPack, "\(source) is no asset pack: \(reason).")
    }
}
