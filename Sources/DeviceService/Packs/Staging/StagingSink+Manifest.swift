// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

extension StagingSink {
    /// Sees that the archive is the pack's own.
    /// - Throws: `StoreError`
    func check(manifest bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes, options: .init(allowsComments: true)).value
        } catch {
            throw StoreError(.badArchive, "The manifest.json in the pack \(packID) is no JSON.", cause: error)
        }
        guard let id = value["assetPackID"]?.stringValue else { throw bad("has a manifest.json without assetPackID") }
        guard id == packID else {
            throw bad("is the archive of another pack, \(id): the server mixes them up")
        }
    }
}
