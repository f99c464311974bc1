// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Asks the server what updates of an app's local packs would bring. The manifest and indexes are fetched, and no pack is.
package struct UpdateForecastsRequest: DeviceRequest {
    package static let method = "packs.updates"
    package var app: String
    package init(app: String) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        /// Of each local pack, sorted by id.
        package var packs: [PackUpdateForecast]

        package init(packs: [PackUpdateForecast]) { self.packs = packs }
    }
}

/// What an update of a local pack would take. Sizes are in bytes.
package struct PackUpdateForecast: Codable, Hashable, Sendable {
    package var id: String
    package var localVersion: Int
    /// nil when the manifest has the pack no more: an update removes it.
    package var availableVersion: Int?
    /// `nothing` (all is on the device), `patch`, `patch-and-blocks`, `blocks` or `whole`; nil when nothing is to be done, or
    /// it could not be found out.
    package var method: String?
    /// That would come over the network, the index included.
    package var toMove: Int64
    /// Of files that would be written; others are linked.
    package var toWrite: Int64
    /// Of the archive.
    package var downloadSize: Int64
    /// Why it takes more than it might, or is not known.
    package var note: String?

    package init(
        id: String, localVersion: Int, availableVersion: Int?, method: String? = nil, toMove: Int64 = 0,
        toWrite: Int64 = 0, downloadSize: Int64 = 0, note: String? = nil
    ) {
        self.id = id
        self.localVersion = localVersion
        self.availableVersion = availableVersion
        self.method = method
        self.toMove = toMove
        self.toWrite = toWrite
        self.downloadSize = downloadSize
        self.note = note
    }
}
