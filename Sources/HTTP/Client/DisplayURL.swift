// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

/// Addresses as they may be shown and logged: without user, query and fragment, where secrets travel.
enum DisplayURL {
    static func text(_ url: String) -> String {
        var shown = url.prefix { $0 != "?" && $0 != "#" }
        if let scheme = shown.utf8.firstOccurrence(of: "://".utf8),
            let at = shown[scheme.upperBound...].prefix(while: { $0 != "/" }).lastIndex(of: "@")
        {
            shown.removeSubrange(scheme.upperBound...at)
        }
        return String(shown.prefix(300))
    }
}
