// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AssetPacks
internal import HTTP
internal import Kit
internal import PackUpdates
internal import System

/// The archives that are served, looked at again before each answer.
///
/// A replaced archive is inspected anew and announced under the next version, so that devices fetch it. While a new
/// archive is incomplete or broken, the one before is served on if its bytes are still there: an archive that was
/// replaced by renaming stays whole for as long as it is open.
actor PackShelf {
    private struct Place {
        let path: FilePath
        /// What is served.
        var pack: ServedPack
        /// The last file that could not be served, so that it is not read again before it changes.
        var refused: FileStatus?
        /// The last index that could not be served, likewise.
        var refusedIndex: FileStatus?
        /// Patches that lie beside it, also such as lead elsewhere.
        var patches: [ServedPatch] = []
    }

    /// The packs, and what is wrong with archives that are not served as they are.
    struct View: Sendable {
        let packs: [ServedPack]
        /// Identifiers of packs whose archive is being written just now.
        let unavailable: Set<String>
    }

    private let executor: BlockingExecutor
    private var places: [Place] = []
    private let note: @Sendable (String) -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter note: told what a person at the server should know.
    init(note: @escaping @Sendable (String) -> Void) throws {
        self.note = note
        executor = try BlockingExecutor(name: "larder-shelf")
    }

    /// Inspects all archives and takes them in.
    /// - Parameter versions: one for each archive, or none for 0 each.
    /// - Throws: `AssetPackError`, `ArchiveError`, `DevelopmentServerError`
    func fill(_ archives: [FilePath], versions: [Int]) throws {
        guard versions.isEmpty || versions.count == archives.count else {
            throw DevelopmentServerError(
                .badArguments,
                "There are \(archives.count) archives but \(versions.count) versions. Give one version for each archive."
            )
        }
        for (index, path) in archives.enumerated() {
            let pack = try load(path, version: versions.isEmpty ? 0 : versions[index])
            if let other = places.first(where: { $0.pack.id == pack.id }) {
                throw DevelopmentServerError(
                    .badArguments,
                    "\(other.path) and \(path) both hold the pack \"\(pack.id)\". Give each pack once.")
            }
            for warning in pack.contents.warnings { note("\(path): \(warning)") }
            var place = Place(path: path, pack: pack)
            lookForIndex(&place)
            places.append(place)
        }
    }

    /// The packs as they are now.
    func view() -> View {
        var unavailable: Set<String> = []
        for index in places.indices {
            if !refresh(&places[index]) { unavailable.insert(places[index].pack.id) }
            lookForPatches(&places[index])
        }
        return View(packs: places.map(\.pack), unavailable: unavailable)
    }

    /// Whether the place's pack can be served.
    private func refresh(_ place: inout Place) -> Bool {
        guard let status = try? FileDescriptor.currentDirectory.status(at: place.path, followingLinks: true) else {
            // Between removal and renewal, or gone for good: the open file still has it.
            return true
        }
        if status.isUnchanged(place.pack.status) {
            // Packing writes the archive first, and then its index.
            if place.pack.index == nil { lookForIndex(&place) }
            return true
        }
        if place.refused.map({ status.isUnchanged($0) }) != true {
            do {
                let pack = try load(place.path, version: place.pack.version)
                try take(pack, into: &place)
                return true
            } catch {
                place.refused = status
                note("\(place.path) has changed but cannot be served: \(error)")
            }
        }
        return !status.isSameFile(as: place.pack.status)
    }

    private func take(_ pack: ServedPack, into place: inout Place) throws {
        guard pack.id == place.pack.id else {
            throw DevelopmentServerError(
                .badArguments,
                "it now holds the pack \"\(pack.id)\" instead of \"\(place.pack.id)\". Start the server anew.")
        }
        let isSame = pack.contents.digest == place.pack.contents.digest
        let version = isSame ? place.pack.version : place.pack.version + (place.pack.version < Int.max ? 1 : 0)
        place.pack = pack
        place.pack.version = version
        place.refused = nil
        lookForIndex(&place)
        if !isSame { note("\(place.path) has changed: \"\(pack.id)\" is now version \(version).") }
    }

    /// Takes the index beside the archive, if it is the archive's.
    private func lookForIndex(_ place: inout Place) {
        let path = PackIndex.path(besideArchive: place.path)
        guard let status = try? FileDescriptor.currentDirectory.status(at: path, followingLinks: true),
            place.refusedIndex.map({ status.isUnchanged($0) }) != true
        else { return }
        do {
            place.pack.index = try PackIndex.published(besideArchive: place.path, of: place.pack.contents)
        } catch {
            place.refusedIndex = status
            note("\(error) \"\(place.pack.id)\" is served without an index.")
        }
    }

    /// Takes the patches beside the archive that lead to it.
    private func lookForPatches(_ place: inout Place) {
        guard let index = place.pack.index else {
            place.pack.patches = []
            return
        }
        place.patches = ServedPatch.beside(archive: place.path, known: place.patches)
        place.pack.patches = ServedPatch.listed(place.patches, index: index.digest)
    }

    /// Opens and inspects an archive; both must have seen the same file.
    private func load(_ path: FilePath, version: Int) throws -> ServedPack {
        for _ in 0..<3 {
            let contents: PackContents
            let file: ServedFile
            let before: FileStatus
            do {
                file = try ServedFile(path)
                before = try file.withDescriptor { try $0.status() }
            } catch Errno.noSuchFileOrDirectory {
                throw DevelopmentServerError(.notFound, "There is no archive at \(path).")
            } catch let error as Errno {
                throw DevelopmentServerError(.unreadable, "\(path) cannot be opened.", cause: error)
            }
            contents = try PackInspector.inspect(path)
            let after = try FileDescriptor.currentDirectory.status(at: path, followingLinks: true)
            let still = try file.withDescriptor { try $0.status() }
            if before.isUnchanged(after), before.isUnchanged(still) {
                return ServedPack(path: path, contents: contents, file: file, status: before, version: version)
            }
        }
        throw DevelopmentServerError(.unreadable, "\(path) keeps changing while it is read.")
    }
}
