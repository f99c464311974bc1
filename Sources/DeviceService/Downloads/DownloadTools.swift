// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import DeviceProtocol
import HTTP
import Kit

/// What unmanaged downloads work with.
struct DownloadTools: Sendable {
    let paths: LarderPaths
    let database: SQLiteDatabase
    let registry: AppRegistry
    let bundles: BundleStore
    let groups: AppGroups
    let settings: SettingsStore
    let clients: any HTTPClientSource
    let hosts: HostLimits
    let extensions: ExtensionHost
    let governor: BandwidthGovernor
    let transfers: TransferDispatcher
    let personal: SettingsFile
    let conditions: ConditionsReader
    /// How long an app may take to answer a challenge.
    let answerTimeLimit: Duration
    /// How long apps that an earlier service knew have to come back.
    let returnPatience: Duration
    let space: SpaceKeeper
    let log: Logger
}

/// A connection of an app that is there to hear of its downloads.
struct DownloadListener: Sendable {
    let id: Int
    /// Whether somebody listens; otherwise the connection only says that the app is there.
    let isListening: Bool
    /// Whether it answers challenges.
    var answersChallenges: Bool
    let emit: @Sendable (DownloadStep) -> Void
    /// Ends that were told and not acknowledged.
    var outstanding: Set<Int64> = []
}
