// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// What installs work with.
struct InstallTools: Sendable {
    let registry: AppRegistry
    let bundles: BundleStore
    let catalogue: Catalogue
    let store: any PackStoring
    let downloads: DownloadStore
    let content: ContentAsker
    let extensions: ExtensionHost
    let usage: UsageStore
    let settings: SettingsFile
    let gate: BackgroundGate
    let languages: AppLanguages
    let space: SpaceKeeper
    let groups: AppGroups
    let removal: AppRemoval
    let notes: NoteBoard
    let clients: any HTTPClientSource
    let governor: BandwidthGovernor
    let manifestRetries: RetryPolicy
    let log: Logger
}
