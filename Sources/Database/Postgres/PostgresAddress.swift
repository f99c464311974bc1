// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Where a PostgreSQL database is, as libpq's addresses say it: `postgres://user@host:port/name?option=value`.
package struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// With everything that was given, a password too: for libpq alone.
    let url: String
    /// Whether a password stands in the address.
    package let hasPassword: Bool
    /// The database and its server for people, and never a password.
    package let description: String

    private static let schemes = ["postgres://", "postgresql://"]

    /// nil for what is no such address. What could be taken for something else is none: a sign of a password that is not
    /// written as `%XX` would put the rest of it where hosts and names are said aloud.
    package init?(_ url: String) {
        guard let scheme = Self.schemes.first(where: url.hasPrefix), !url.utf8.contains(0) else { return nil }
        let parts = url.dropFirst(scheme.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = place[0].split(separator: "@", omittingEmptySubsequences: false)
        let name = place.count > 1 ? place[1] : ""
        guard authority.count <= 2, !name.contains("@"), !name.contains("/"),
            parts.count < 2 || !parts[1].contains("?")
        else { return nil }
        let servers = authority.last ?? ""
        for server in servers.split(separator: ",") {
            // An address of version 6 has colons of its own, between brackets.
            let port = server.drop { $0 != "]" }.isEmpty ? server[...] : server.drop { $0 != "]" }
            let words = port.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count < 2 || words[1].allSatisfy(\.isWholeNumber) else { return nil }
        }
        var options: [Substring: Substring] = [:]
        for option in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let words = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            options[words[0]] = words.count > 1 ? words[1] : ""
        }
        self.url = url
        hasPassword = (authority.count > 1 && authority[0].contains(":")) || options["password"] != nil
        let host = servers.isEmpty ? options["host"] ?? options["hostaddr"] ?? "" : servers
        let database = name.isEmpty ? options["dbname"] ?? "" : name
        description =
            "PostgreSQL database" + (database.isEmpty ? "" : " \(database)")
            + (host.isEmpty || host.hasPrefix("/") || host.hasPrefix("%2F") ? " on this machine" : " at \(host)")
    }
}
