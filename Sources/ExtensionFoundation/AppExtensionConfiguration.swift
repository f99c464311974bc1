// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How an extension takes up a connection from the system.
///
/// Extension points come with a configuration of their own; an extension seldom writes one.
public protocol AppExtensionConfiguration {
    /// Decides whether the connection is taken, and prepares it for the requests that follow.
    /// - Returns: `false` to refuse; the process then ends.
    @MainActor @preconcurrency func accept(connection: AppExtensionConnection) -> Bool
}
