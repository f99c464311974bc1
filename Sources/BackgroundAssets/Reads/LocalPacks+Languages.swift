// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Foundation
internal import Kit
internal import Languages
internal import PackNamespace
internal import System

extension LocalPacks {
    /// The app's own choice, or else what the service keeps.
    var resolvedLanguage: Locale.Language? {
        let choice = choice.withLock { $0 }
        if let unstored = choice { return unstored.language }
        guard let files else { return nil }
        return (files.chosen() ?? files.resolved()).map { Locale.Language(identifier: $0) }
    }

    func chooseLanguage(_ language: Locale.Language?) {
        choice.withLock { choice in
            do {
                guard let files else {
                    choice = UnstoredChoice(language: language, error: nil)
                    return
                }
                try files.setChosen(language?.tag?.description)
                choice = nil
            } catch {
                choice = UnstoredChoice(language: language, error: "\(error)")
            }
        }
    }

    /// Tries to store again a choice that could not be.
    /// - Throws: `BackgroundAssetsError`
    func checkChoice() throws {
        guard let unstored = choice.withLock({ $0 }) else { return }
        chooseLanguage(unstored.language)
        guard let error = choice.withLock({ $0 })?.error else { return }
        throw BackgroundAssetsError(
            .unreadable,
            "The chosen language could not be stored in the app's folder: \(error.clause). Run “larder doctor”.")
    }

    /// The languages of the local packs.
    var languages: [Locale.Language] {
        let packs = (try? reader.get().packs()) ?? []
        var tags: [LanguageTag] = []
        for tag in packs.compactMap({ $0.language.flatMap { try? LanguageTag($0) } })
        where !tags.contains(where: { $0.isSame(as: tag) }) {
            tags.append(tag)
        }
        return tags.map(\.description).sorted().map { Locale.Language(identifier: $0) }
    }

    /// Opens a file of the packs that are localised for a language; the caller closes it.
    /// - Throws: `ManagedBackgroundAssetsError.fileNotFound`, or `BackgroundAssetsError`.
    func open(_ path: FilePath, localizedFor language: Locale.Language) throws -> OpenedFile {
        for pack in try reader.get().packs() where Self.isPack(pack, for: language) {
            do {
                return try open(path, inPackWithID: pack.id)
            } catch is ManagedBackgroundAssetsError {
                continue  // Another pack of the language may have it.
            }
        }
        throw ManagedBackgroundAssetsError.fileNotFound(at: path)
    }

    static func isPack(_ pack: NamespacePack, for language: Locale.Language) -> Bool {
        guard let own = pack.language.flatMap({ try? LanguageTag($0) }), let wanted = language.tag else { return false }
        return own.isSame(as: wanted)
    }
}

/// A choice that is not in the app's folder: the app's set-up is wrong, or the disk is full.
struct UnstoredChoice: Sendable {
    var language: Locale.Language?
    var error: String?
}

extension Locale.Language {
    /// As the matcher takes it; nil for what names no language.
    var tag: LanguageTag? {
        // Script and region that go without saying are left out here and are the matcher's to add.
        try? LanguageTag(String(minimalIdentifier.map { $0 == "_" ? "-" : $0 }))
    }

    func isSame(as other: Locale.Language) -> Bool {
        guard let tag, let other = other.tag else { return false }
        return tag.isSame(as: other)
    }
}
