// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why the system asks a downloader extension for content. (BA 1.6)
public enum BAContentRequest: Int, Sendable, Hashable {
    /// The app is being installed.
    case install = 1
    /// The app is being updated.
    case update = 2
    /// Time has passed and the app is in use.
    case periodic = 3
    /// The person changed the preferred languages.
    case languageChange = 4
}
