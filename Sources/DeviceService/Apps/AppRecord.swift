// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles

/// An app as the database knows it.
struct AppRecord: Hashable, Sendable {
    var id: String
    var displayName: String
    var version: String
    /// The number of the current base's folder below `bundle`.
    var bundle: Int
    /// The base's folder name, such as `Game.app`.
    var folder: String
    var executable: String
    var wasLaunched: Bool
    /// Bytes of the base app's files, and of the blocks behind them.
    var baseSize: Int64
    var baseAllocatedSize: Int64

    /// The base's folder, relative to the app root.
    var basePath: String { "bundle/\(bundle)/\(folder)" }
}
