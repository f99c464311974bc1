// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import Kit
import System

/// Takes an archive's entries, sees to it that they are one `Name.app`, and writes them below a folder.
final class AppArchiveSink: ArchiveSink {
    enum Extent {
        case everything
        /// What the checks of a bundle look at: the names at its top and its extensions, with the content of property
        /// lists only.
        case checkedFiles
    }

    /// Bytes of the files so far, as the archive states them.
    private(set) var size: Int64 = 0
    /// Bytes written so far.
    var written: Int64 { Int64(clamping: extractor.state.summary.bytes) }

    private let extractor: DirectoryExtractor
    private let name: String
    private let extent: Extent
    private let limit: Int64
    private var app: String?
    private var passesEntry = false
    private var passesContent = false
    /// Sizes of clusters whose content stands once in the archive and several times on the disk.
    private var clusters: [String: UInt64] = [:]

    /// - Parameters:
    ///   - folder: open and empty.
    ///   - name: the archive's, for messages.
    ///   - limit: how many bytes the files may have.
    ///   - maximumFolders: how many folders may stand in paths only.
    init(_ folder: FileDescriptor, name: String, extent: Extent, limit: Int64, maximumFolders: UInt64) {
        var options = ExtractionOptions()
        options.maximumImpliedFolders = maximumFolders
        extractor = DirectoryExtractor(directory: folder, options: options)
        self.name = name
        self.extent = extent
        self.limit = limit
    }

    func begin(_ entry: EntryHeader) throws {
        passesEntry = false
        passesContent = false
        if entry.type == .metadata || entry.path.isEmpty { return }
        try checkPlace(entry)
        if entry.type == .regularFile { try count(entry) }
        guard let passed = passed(entry) else { return }
        passesEntry = true
        passesContent = extent == .everything || passed.hasData
        try extractor.begin(passed)
    }

    func data(_ bytes: UnsafeRawBufferPointer) throws {
        guard passesContent else { return }
        try extractor.data(bytes)
        if written > limit { throw tooLarge }
    }

    func end() throws {
        if passesEntry { try extractor.end() }
    }

    /// To be called when the archive was read to its end.
    /// - Returns: the bundle's folder, `Name.app`.
    func finish() throws -> String {
        try extractor.finish()
        guard let app else {
            throw BundleError(
                .invalid, "\(name) holds no app. Make it with `larder archive Name.app -o \(name)`.")
        }
        return app
    }

    private func checkPlace(_ entry: EntryHeader) throws {
        let names = entry.path.pathNames
        let root = String(names.first ?? "")
        guard root.hasSuffix(".app"), root.utf8.count > 4 else {
            throw BundleError(
                .invalid,
                "\(name) has \(root) at its root, where one folder Name.app belongs. "
                    + "Make it with `larder archive Name.app -o \(name)`.")
        }
        guard root == app ?? root else {
            throw BundleError(
                .invalid, "\(name) holds \(app ?? "") and \(root). Make an archive of each app.")
        }
        app = root
        switch entry.type {
        case .directory: return
        case .regularFile where names.count > 1, .symbolicLink where names.count > 1: return
        default:
            throw BundleError(
                .invalid,
                "\(name) has \(entry.path) as a \(entry.type.name), which does not belong in a bundle. Leave it out.")
        }
    }

    private func count(_ entry: EntryHeader) throws {
        let cluster = [FieldKey.sameDataCluster, .cloneCluster].lazy
            .compactMap { key in entry.unsigned(key).map { "\(key) \($0)" } }.first
        var bytes = entry.dataSize
        if let cluster {
            if entry.hasData { clusters[cluster] = bytes } else { bytes = clusters[cluster] ?? 0 }
        }
        let (sum, overflow) = size.addingReportingOverflow(Int64(clamping: bytes))
        size = overflow ? .max : sum
        if size > limit { throw tooLarge }
    }

    private var tooLarge: BundleError {
        BundleError(
            .tooLarge,
            "\(name) unpacks to more than the \(ByteCount.formatted(limit)) there is room for. Free some space and try again."
        )
    }

    /// The entry as it is written; nil when it is not. Folders can be entered and files be read by their owner, so that
    /// they can be copied, checked and removed.
    private func passed(_ entry: EntryHeader) -> EntryHeader? {
        var entry = entry
        if let mode = entry.mode {
            entry.mode = mode | (entry.type == .directory ? 0o700 : 0o600)
        }
        guard extent == .checkedFiles else { return entry }
        let names = entry.path.pathNames
        guard names.count <= 2 || ["Extensions", "PlugIns"].contains(names[1]) else { return nil }
        guard entry.type == .regularFile else { return entry }
        let isPropertyList =
            names.last == "Info.plist" && entry.dataSize <= UInt64(PropertyListFile.Limits.infoPlist.size)
            && entry.hasData
        // Without content and cluster it is an empty file of that name and mode.
        entry.hardLinkCluster = nil
        entry.otherFields = []
        if !isPropertyList { entry.blobs = [] }
        return entry
    }
}
