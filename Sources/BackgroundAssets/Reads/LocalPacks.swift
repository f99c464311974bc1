// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Foundation
internal import Kit
internal import PackNamespace
internal import System

/// The packs that are on the device. Everything here is read from disk, never asked from the service.
final class LocalPacks: Sendable {
    let reader: Result<AppRootReader, any Error>
    /// nil when the process has no app root.
    let files: AppLanguageFiles?
    /// A language that the app chose and that could not be stored.
    let choice = Locked<UnstoredChoice?>(nil)
    private let merged = MergedDirectories()

    /// - Parameter root: the app root, or why the process has none.
    init(root: Result<FilePath, any Error>) {
        reader = root.map { AppRootReader(root: $0) }
        files = (try? reader.get()).map { AppLanguageFiles($0.layout) }
    }

    /// Opens a file of the merged tree; the caller closes it.
    /// - Throws: `ManagedBackgroundAssetsError.fileNotFound`, or `BackgroundAssetsError`.
    @inline(__always)
    func open(_ path: FilePath, inPackWithID id: String?) throws -> OpenedFile {
        let reader = try reader.get()
        do {
            return try reader.open(path.string, inPack: id)
        } catch {
            throw Self.readError(error, at: path, of: reader)
        }
    }

    /// The local pack with an id, or nil.
    func pack(withID id: String) -> AssetPack? {
        (try? reader.get().pack(id: id)).map { AssetPack($0) }
    }

    /// What the namespace says of a local pack.
    /// - Throws: `ManagedBackgroundAssetsError.assetPackNotFound`, or `BackgroundAssetsError`.
    func entry(forPackWithID id: String) throws -> NamespacePack {
        let reader = try reader.get()
        do {
            if let pack = try reader.pack(id: id) { return pack }
        } catch {
            throw BackgroundAssetsError(.unreadable, "The list of local packs cannot be read: \(error)", cause: error)
        }
        throw ManagedBackgroundAssetsError.assetPackNotFound(withID: id)
    }

    /// The place of a file, or of a directory that holds what all packs have below it. Well-formed even when there is none.
    /// - Parameter language: for packs that are localised for it only.
    func url(for path: FilePath, localizedFor language: Locale.Language? = nil) throws -> URL {
        let reader = try reader.get()
        let relative = AppRootReader.normalized(path.string)
        do {
            let handle = try reader.current()
            let packs = language.map { language in
                (0..<handle.table.packCount).filter { Self.isPack(handle.table.pack(at: $0), for: language) }
            }
            if let file = try merged.file(relative, in: handle, packs: packs) { return file }
            if let directory = try merged.directory(relative, in: handle, packs: packs) { return directory }
        } catch let error as NamespaceError where error.code == .notInstalled {
            // Nothing is local yet; what follows is the place of nothing.
        } catch {
            throw Self.readError(error, at: path, of: reader)
        }
        return reader.layout.root.appending("nowhere").appending(relative).url(isDirectory: false)
    }

    private static func readError(_ error: any Error, at path: FilePath, of reader: AppRootReader) -> any Error {
        guard let error = error as? NamespaceError else {
            return BackgroundAssetsError(.unreadable, "\(path) cannot be read: \(error)", cause: error)
        }
        switch error.code {
        case .fileNotFound, .packNotFound:
            return ManagedBackgroundAssetsError.fileNotFound(at: path)
        case .notInstalled:
            let isInstalled = FileDescriptor.currentDirectory.exists(at: reader.layout.root)
            return isInstalled
                ? ManagedBackgroundAssetsError.fileNotFound(at: path)
                : BackgroundAssetsError(.notInstalled, error.message, cause: error)
        default:
            return BackgroundAssetsError(.unreadable, error.message, cause: error.cause ?? error)
        }
    }
}

extension AssetPack {
    /// A local pack as the namespace lists it.
    init(_ pack: NamespacePack) {
        self.init(
            id: pack.id, version: Int(clamping: pack.version), downloadSize: Int(clamping: pack.downloadSize),
            userInfo: pack.userInfo.map { Data($0.utf8) },
            language: pack.language.map { Locale.Language(identifier: $0) })
    }
}

extension FilePath {
    func url(isDirectory: Bool) -> URL {
        URL(filePath: string, directoryHint: isDirectory ? .isDirectory : .notDirectory)
    }
}
