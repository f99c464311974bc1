// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension ExitCode {
    /// The exit code of an error by its name, so that one that came over the wire ends a command as the original would.
    package init(codeName name: String) {
        let parts = name.split(separator: ".", maxSplits: 1)
        let area = parts.first.map(String.init) ?? ""
        let kind = parts.count > 1 ? String(parts[1]) : ""
        if let byKind = Self.kinds[kind] {
            self = byKind
        } else if let byName = Self.names[name] {
            self = byName
        } else {
            self = Self.areas[area] ?? .failure
        }
    }

    /// What a kind means in every area.
    private static let kinds: [String: ExitCode] = [
        "notFound": .notFound, "fileNotFound": .notFound, "packNotFound": .notFound, "notInstalled": .notFound,
        "noSpace": .noSpace, "refused": .refused, "cancelled": .interrupted,
    ]

    private static let names: [String: ExitCode] = [
        "install.incomplete": .incomplete,
        "device.unavailable": .serviceUnavailable,
        "device.disconnected": .serviceUnavailable,
        "device.incompatible": .serviceUnavailable, "socket.peer-alive": .serviceUnavailable,
        "http.untrusted-certificate": .refused, "http.insecure-redirect": .refused, "http.bad-url": .badInput,
        "http.bad-trust": .badInput, "http.no-library": .failure, "manifest.unavailable": .network,
        "store.network": .network,
        "archive.io": .failure, "pack.io": .failure,
        "pack.unreadable": .failure, "pack.outputExists": .failure, "pack.invalidArgument": .usage,
        "app.badBundle": .badInput, "app.badPropertyList": .badInput, "namespace.damaged": .badInput,
        "file.too-large": .badInput,
    ]

    /// What the rest of an area means.
    private static let areas: [String: ExitCode] = [
        "http": .network, "archive": .badInput, "pack": .badInput, "manifest": .badInput, "bundle": .badInput,
        "json": .badInput, "setting": .badInput, "tags": .badInput, "restriction": .refused, "usage": .usage,
    ]
}
