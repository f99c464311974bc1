// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

/// Asks an app's extension what to download (BA 1.5, 2.3): fetches the manifest before it is woken, hands it over as a file
/// that goes with the answer, and takes what it names.
struct ContentAsker: Sendable {
    let downloads: DownloadStore
    let catalogue: Catalogue
    let registry: AppRegistry
    let bundles: BundleStore
    let extensions: ExtensionHost
    let paths: LarderPaths
    let settings: SettingsFile

    /// What came of asking.
    struct Answer: Sendable {
        var taken = DownloadStore.Taken()
        /// What went wrong with the extension, for a person.
        var trouble: String?
    }

    /// What the extension is asked, and under which circumstances.
    struct Question: Sendable {
        /// As `BAContentRequest` names it: `install`, `update`, `periodic` or `languageChange`.
        var event: String
        /// A first installation: the allowances are whole, and hold.
        var isFirst = false
    }

    /// What came of asking an installed app's extension.
    struct Refreshed: Sendable {
        /// What was scheduled, by identifier.
        var scheduled: [String] = []
        /// What went wrong with the extension, for a person.
        var trouble: String?
    }

    /// Asks an installed app's extension anew and lets what it names go.
    /// - Parameters:
    ///   - event: `periodic` or `languageChange`.
    ///   - inFront: what it names comes at once, whatever holds the background back.
    /// - Returns: nil when the app does not choose its downloads itself.
    func refresh(_ app: String, event: String, inFront: Bool = false) async throws -> Refreshed? {
        let record = try await registry.existing(app)
        let bundles = bundles
        let bundle = try await offload { try bundles.bundle(record) }
        guard bundle.backgroundAssets.mode == .unmanaged else { return nil }
        // Without in-app content nothing comes by itself before the first launch (C11).
        guard record.wasLaunched || settings.current.allowsInAppContent else { return Refreshed() }
        let answer = try await ask(Question(event: event), bundle, policy: .foreground)
        let held = answer.taken.downloads.filter { $0.state == .held }.map(\.description.identifier)
        await downloads.release(held, app: app, inFront: inFront)
        return Refreshed(scheduled: held.sorted(), trouble: answer.trouble)
    }

    /// - Parameters:
    ///   - bundle: the app; during an install or update, the one that is being installed.
    ///   - trouble: hears of a manifest that does not come, while it is waited for.
    /// - Throws: `DeviceError` when the manifest cannot be had.
    func ask(
        _ question: Question, _ bundle: AppBundle, policy: RetryPolicy,
        trouble: @escaping Catalogue.TroubleReport = { _ in }
    ) async throws -> Answer {
        let app = bundle.identifier
        guard var subject = ExtensionSubject(bundle, paths: paths) else { return Answer() }
        let places = DownloadPlaces(paths: paths, app: app)
        let body = try await catalogue.body(app, keys: bundle.backgroundAssets, policy: policy, trouble: trouble)
        var facts = try await downloads.facts(app, installing: bundle.backgroundAssets)
        if question.isFirst {
            facts.wasLaunched = false
            facts.use = DownloadRules.Use(essential: Int64(body?.count ?? 0))
        }
        let request = ContentRequest(
            event: question.event, manifest: places.manifest.string,
            downloadSizeRemaining: DownloadRules.remaining(essential: false, facts),
            essentialDownloadSizeRemaining: DownloadRules.remaining(essential: true, facts))
        try await offload { try places.writeManifest(body ?? []) }
        subject.files.append(places.manifest)
        subject.folders = await downloads.otherGroups(subject)
        let answers = downloads.answers(to: app)
        await downloads.setAnswering(app, true)
        let outcome = await extensions.run(
            subject, consequence: "nothing it wants is downloaded; `larder check \(app)` asks it again",
            onRequest: { answers.take($0, $1) }
        ) { [downloads] session in
            try waitFor { await downloads.beginSharing(app) }
            defer { try? waitFor { await downloads.endSharing(app) } }
            let named = try session.call(request).downloads
            try waitFor { await downloads.setAnswering(app, false) }
            try downloads.tellShared(app, session)
            return named
        }
        await answers.end()
        await downloads.setAnswering(app, false)
        _ = try? await offload { try places.remove(places.manifest) }
        guard let named = outcome.answer else { return Answer(trouble: outcome.trouble) }
        let mayBeEssential = question.event == "install" || question.event == "update"
        return Answer(
            taken: try await downloads.take(named, app: app, mayBeEssential: mayBeEssential, facts),
            trouble: outcome.trouble)
    }
}
