// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// The two small files below an app root that say which language's packs are kept local. Each holds one tag.
///
/// They are files, and not requests, because an app asks for its language at its start, when the service may be down.
package struct AppLanguageFiles: Sendable {
    /// Written by the library in the app: what the app chose.
    package static let chosenName = "language.chosen"
    /// Written by the service: what it keeps.
    package static let resolvedName = "language.resolved"

    private let layout: AppRootLayout

    package init(_ layout: AppRootLayout) { self.layout = layout }

    /// The app's own choice; nil while the person's languages count.
    package func chosen() -> String? { read(Self.chosenName) }

    /// - Throws: `Errno`
    package func setChosen(_ tag: String?) throws { try write(tag, to: Self.chosenName) }

    /// The language of the localised packs that are kept; nil when the app has none for the person.
    package func resolved() -> String? { read(Self.resolvedName) }

    /// - Throws: `Errno`
    package func setResolved(_ tag: String?) throws {
        if tag != resolved() { try write(tag, to: Self.resolvedName) }
    }

    private func read(_ name: String) -> String? {
        guard let file = try? OwnedDescriptor(layout.root.appending(name), .readOnly, options: .noFollow),
            let bytes = try? file.borrowed.readAll(limit: 64)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    private func write(_ tag: String?, to name: String) throws {
        let path = layout.root.appending(name)
        guard let tag else {
            do {
                try FileDescriptor.currentDirectory.remove(at: path)
            } catch Errno.noSuchFileOrDirectory {}
            return
        }
        try AtomicFile.write(Array((tag + "\n").utf8), to: path, durable: true)
    }
}
