// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
public import Foundation
internal import PackNamespace
public import System

extension AssetPackManager {
    /// The language whose localised packs the system keeps on the device.
    ///
    /// The system resolves it from the languages that the person reads. Setting one chooses it for this app, through
    /// launches, until `nil` is set; nothing is downloaded or removed before ``reconcilePreferredLanguages()``. Do not set it
    /// in an extension. Works while the device service is down; a choice that cannot be stored makes
    /// ``reconcilePreferredLanguages()`` throw.
    public nonisolated var resolvedLanguage: Locale.Language? {
        get { local.resolvedLanguage }
        set { local.chooseLanguage(newValue) }
    }

    /// The languages of the localised packs that are on the device, each once, in the order of their identifiers.
    public var locallyAvailableLanguages: [Locale.Language] {
        get async { local.languages }
    }

    /// Downloads the packs of ``resolvedLanguage`` that are not on the device, waits for them, and removes those of other
    /// languages that the app did not download by itself.
    ///
    /// Packs whose policy is on demand are left to the app. While a download fails nothing is removed.
    /// - Throws: ``LocalAvailabilityError``, which names the packs that have come and the reasons why others have not.
    public func reconcilePreferredLanguages() async throws {
        try local.checkChoice()
        let reply = try await ask(ReconcileLanguagesRequest(app: bundleID))
        guard !reply.failures.isEmpty else { return }
        var failures: [AssetPack: any Error] = [:]
        for failure in reply.failures {
            let pack = failure.pack.map { AssetPack($0) } ?? AssetPack(id: failure.id, version: 0, downloadSize: 0)
            failures[pack] = clientError(failure.error, forPackWithID: failure.id)
        }
        throw LocalAvailabilityError(successes: Set(reply.successes.map { AssetPack($0) }), failures: failures)
    }

    /// The contents of a file of the packs that are localised for a language, mapped into memory.
    /// - Parameters:
    ///   - path: The path from the root that all packs share.
    ///   - language: The language. `en`, `en-US` and `en-Latn-US` are the same, and `en-CA` is another.
    ///   - options: How to read. Unless a mapping is asked for, the bytes are copied.
    /// - Throws: `ManagedBackgroundAssetsError.fileNotFound` when no such pack on the device has the file.
    public nonisolated func contents(
        at path: FilePath, asLocalizedFor language: Locale.Language, options: Data.ReadingOptions = .mappedIfSafe
    ) throws -> Data {
        try Self.contents(of: local.open(path, localizedFor: language), at: path, options)
    }

    /// Opens a file of the packs that are localised for a language. The caller closes it.
    /// - Parameters:
    ///   - path: The path from the root that all packs share.
    ///   - language: The language. `en`, `en-US` and `en-Latn-US` are the same, and `en-CA` is another.
    /// - Throws: `ManagedBackgroundAssetsError.fileNotFound` when no such pack on the device has the file.
    public nonisolated func descriptor(
        for path: FilePath, asLocalizedFor language: Locale.Language
    ) throws -> FileDescriptor {
        try local.open(path, localizedFor: language).descriptor
    }

    /// The URL of a file or a directory of the packs that are localised for a language, for as long as the process lives.
    ///
    /// See ``url(for:)`` for what it costs.
    /// - Parameters:
    ///   - path: The path from the root that all packs share.
    ///   - language: The language. `en`, `en-US` and `en-Latn-US` are the same, and `en-CA` is another.
    /// - Returns: A well-formed URL, also when nothing is at the path.
    public nonisolated func url(for path: FilePath, asLocalizedFor language: Locale.Language) throws -> URL {
        try local.url(for: path, localizedFor: language)
    }
}
